import { quote } from '../../base/shellWords.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { clientsText } from '../hostStatus.ts'
import type { ServiceData } from '../layout.ts'
import { restartServices, startServices, stopServices } from '../services/control.ts'
import { copyData, movedFrom } from '../services/moveData.ts'
import { startOrThrow } from '../services/serviceFailure.ts'
import type { ServiceSet } from '../services/serviceManager.ts'
import { drainTimeoutOf, stopScriptTimeout } from '../services/stopTimeouts.ts'
import { change, draining, type Step } from '../step.ts'
import type { DesiredComponent, StepTarget } from '../target.ts'

/**
 * Starts stopped components and restarts those that run with older content. Each digest is written only after the
 * start, so the next run notices an interrupted one.
 */
export function servicesStep(target: StepTarget): Step {
  const { cluster, layout, data, service } = target
  const from = movedFrom(target)
  const due = (facts: HostFacts): { desired: DesiredComponent; running: boolean }[] =>
    target.components.flatMap((desired) => {
      const running = facts.services.get(desired.component)?.state === 'running'
      const applied = facts.installation.applied.get(desired.component)
      return running && applied === desired.digest && from === undefined ? [] : [{ desired, running }]
    })
  return {
    id: 'services',
    title: 'start the components',
    phase: 'commit',
    check: (facts) => {
      const named = (verb: string, running: boolean): string[] => {
        const names = due(facts).filter((one) => one.running === running)
        return names.length === 0
          ? []
          : [`${verb} ${names.map(({ desired }) => desired.component).join(', ')}`]
      }
      const words = [...named('start', false), ...named('restart', true)]
      if (words.length === 0) return undefined
      const { proxy } = target.host
      const connector = due(facts).some(({ desired }) => desired.component === 'connector')
      const details = proxy === undefined || !connector ? [] : [`connector: ${clientsText(proxy)}`]
      const restart = change(words.join(', '), details)
      return draining(restart, connector ? drainTimeoutOf(facts) : 0)
    },
    apply: async (transport, facts) => {
      const components = due(facts).map(({ desired }) => desired)
      const drainTimeout = drainTimeoutOf(facts)
      const applied = components.map(
        ({ component, digest }) =>
          `printf '%s\\n' ${digest} > ${quote(layout.appliedFile(component))} || wrong=1`,
      )
      const set = {
        ...{ manager: service.manager, cluster, layout, data, account: service, drainTimeout },
        components: components.map(({ component }) => component),
      }
      const record = quote(layout.account)
      const account = `printf '%s\\n' ${quote(accountRecord({ data, service }))} > ${record}.new && mv -f ${record}.new ${record} || exit 1`
      await startOrThrow(transport, set, {
        doing: 'starting the components',
        timeout: stopScriptTimeout(drainTimeout),
        fix: 'Fix the problem reported above, then install again.',
        script: `cd / || exit 1
wrong=0
{
${from === undefined ? `${account}\n${restartServices(set)}` : moveScript(set, { from, account })}
} || exit 1
${applied.join('\n')}
exit "$wrong"`,
      })
    },
  }
}

/** Returns the line of `share/account`: place and user of the components' data. */
export const accountRecord = ({ data, service }: Pick<StepTarget, 'data' | 'service'>): string =>
  `${data.place} ${service.user}`

/** Returns sh that stops all components, copies their latest data, and starts them at the new place. */
const moveScript = (set: ServiceSet, { from, account }: { from: ServiceData; account: string }): string =>
  [stopServices(set), copyData({ from, to: set.data, account: set.account }), account, startServices(set)]
    .map((part) => `{\n${part}\n}`)
    .join(' && ')
