import { type Component, components } from '../../contracts/component.ts'
import { quote } from '../../transport/shellWords.ts'
import type { HostFacts } from '../facts/model.ts'
import { unitDirectory, unitName } from '../layout.ts'
import { mustRun } from '../script.ts'
import { installedManager, stopScript } from '../services/control.ts'
import { drainTimeoutOf, stopPatience } from '../services/stopping.ts'
import { change, type Step } from '../step.ts'
import type { Target } from '../target.ts'

/** Stops and removes components that the host had and the file no longer gives it. */
export function obsoleteStep(target: Target): Step {
  const { cluster, layout, facts } = target
  const wanted = target.components.map(({ component }) => component)
  const obsolete = (is: HostFacts): Component[] =>
    components.filter(
      (component) => !wanted.includes(component) && is.installation.files.has(layout.settings(component)),
    )
  return {
    id: 'obsolete',
    title: 'remove components that are no longer wanted',
    phase: 'commit',
    check: (is) => {
      const names = obsolete(is)
      return names.length === 0 ? undefined : change(`stop and remove ${names.join(', ')}`)
    },
    apply: async (transport) => {
      const names = obsolete(facts)
      const manager = installedManager(facts)
      const drainTimeout = drainTimeoutOf(facts)
      const units = names.map((component) => quote(unitName(cluster, component))).join(' ')
      const disable =
        manager === 'systemd'
          ? `systemctl --quiet disable ${units}
cd ${unitDirectory} && rm -f ${units}
systemctl daemon-reload`
          : ''
      await mustRun(transport, {
        doing: `removing ${names.join(', ')}`,
        fix: 'Install again.',
        timeout: stopPatience(drainTimeout),
        script: `${stopScript({ manager, cluster, layout, components: names, drainTimeout })}
${disable}
rm -f ${names
          .flatMap((component) => [
            layout.appliedFile(component),
            layout.socket(component),
            layout.settings(component),
            layout.stateFile(component),
          ])
          .map(quote)
          .join(' ')}`,
      })
    },
  }
}
