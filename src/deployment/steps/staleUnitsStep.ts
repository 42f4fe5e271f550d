import type { HostFacts } from '../facts/hostFacts.ts'
import { runOrThrow } from '../runOrThrow.ts'
import { allDefinitions } from '../services/implementations.ts'
import type { ServiceDefinitions, ServiceId } from '../services/serviceManager.ts'
import { drainTimeoutOf, stopScriptTimeout } from '../services/stopTimeouts.ts'
import { deletion, type Step } from '../step.ts'
import type { StepTarget } from '../target.ts'

/** Removes the definitions of another service manager that ran the components before. */
export function staleUnitsStep(target: StepTarget): readonly Step[] {
  const services = target.components.map(({ component }) => ({ cluster: target.cluster, component }))
  return allDefinitions({ except: target.service.manager }).map((definitions) =>
    stepOf(definitions, services),
  )
}

function stepOf(definitions: ServiceDefinitions, services: readonly ServiceId[]): Step {
  const { noun, tool, name, path, remove, factKey } = definitions
  const stale = ({ installation }: HostFacts): readonly ServiceId[] =>
    services.filter((id) => installation.files.has(path(id)))
  return {
    id: `stale-${factKey}s`,
    title: `remove ${noun}`,
    phase: 'commit',
    batchable: true,
    check: (facts) => {
      const found = stale(facts)
      return found.length === 0 ? undefined : deletion(`stop and remove ${noun}`, found.map(name))
    },
    apply: async (transport, facts) => {
      await runOrThrow(transport, {
        timeout: stopScriptTimeout(drainTimeoutOf(facts)),
        doing: `removing the ${noun}`,
        fix: `Fix what ${tool} reports above, then install again.`,
        script: `set -e\n${remove(stale(facts))}`,
      })
    },
  }
}
