import { quote } from '../../base/shellWords.ts'
import type { Component } from '../../contracts/component.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { installedSet } from '../installedSet.ts'
import { obsoleteComponents } from '../obsoleteComponents.ts'
import { runOrThrow } from '../runOrThrow.ts'
import { stopServices } from '../services/control.ts'
import { serviceManagers } from '../services/implementations.ts'
import { stopScriptTimeout } from '../services/stopTimeouts.ts'
import { deletion, type Step } from '../step.ts'
import type { StepTarget } from '../target.ts'

/** Stops and removes components that are no longer in the host's file. */
export function obsoleteStep(target: StepTarget): Step {
  const { cluster, layout } = target
  const obsolete = (is: HostFacts): readonly Component[] => obsoleteComponents(target, is)
  return {
    id: 'obsolete',
    title: 'remove components that are no longer in the file',
    phase: 'commit',
    check: (is) => {
      const names = obsolete(is)
      return names.length === 0 ? undefined : deletion(`stop and remove ${names.join(', ')}`)
    },
    apply: async (transport, facts) => {
      const names = obsolete(facts)
      const installed = installedSet({ cluster, layout, facts })
      const { manager, drainTimeout } = installed
      const services = names.map((component) => ({ cluster, component }))
      await runOrThrow(transport, {
        doing: `removing ${names.join(', ')}`,
        fix: 'Install again.',
        timeout: stopScriptTimeout(drainTimeout),
        script: `${stopServices({ ...installed, components: names })}
${serviceManagers[manager].definitions?.remove(services) ?? ''}
rm -f ${names
          .flatMap((component) => [layout.appliedFile(component), layout.settings(component)])
          .map(quote)
          .join(' ')}`,
      })
    },
  }
}
