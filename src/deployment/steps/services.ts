import { quote } from '../../transport/shellWords.ts'
import { clientsText } from '../clientsText.ts'
import type { HostFacts } from '../facts/model.ts'
import { mustRun } from '../script.ts'
import { restartScript } from '../services/control.ts'
import { drainTimeoutOf, stopPatience } from '../services/stopping.ts'
import { change, draining, type Step } from '../step.ts'
import type { DesiredComponent, Target } from '../target.ts'

/**
 * Starts what does not run and restarts what runs with something older than the plan. Each component's
 * digest is written down only after its start, so an interrupted run is noticed by the next.
 */
export function servicesStep(target: Target): Step {
  const { cluster, layout, service } = target
  const due = (facts: HostFacts): { desired: DesiredComponent; running: boolean }[] =>
    target.components.flatMap((desired) => {
      const running = facts.services.get(desired.component)?.state === 'running'
      const applied = facts.installation.applied.get(desired.component)
      return running && applied === desired.digest ? [] : [{ desired, running }]
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
      const told = change(words.join(', '), details)
      return draining(told, connector ? drainTimeoutOf(facts) : 0)
    },
    apply: async (transport) => {
      const components = due(target.facts).map(({ desired }) => desired)
      const drainTimeout = drainTimeoutOf(target.facts)
      const applied = components.map(
        ({ component, digest }) =>
          `printf '%s\\n' ${digest} > ${quote(layout.appliedFile(component))} || wrong=1`,
      )
      await mustRun(transport, {
        doing: 'starting the components',
        timeout: stopPatience(drainTimeout),
        fix: 'The lines above are the service manager’s own; mend what they name, then install again.',
        script: `cd / || exit 1
wrong=0
{
${restartScript({
  manager: service.manager,
  cluster,
  layout,
  components: components.map(({ component }) => component),
  drainTimeout,
})}
} || exit 1
${applied.join('\n')}
exit "$wrong"`,
      })
    },
  }
}
