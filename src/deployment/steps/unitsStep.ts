import { batchSteps } from '../batchSteps.ts'
import { fileDifference, writeFiles } from '../desiredFile.ts'
import { lineDifference } from '../differences.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { runOrThrow } from '../runOrThrow.ts'
import { serviceManagers } from '../services/implementations.ts'
import { type Step, writing } from '../step.ts'
import type { StepTarget } from '../target.ts'

/** Writes the definitions of the components for their service manager and enables them at boot. */
export function unitsStep(target: StepTarget): readonly Step[] {
  const { definitions } = serviceManagers[target.service.manager]
  if (definitions === undefined) return []
  const { noun, tool, name, enable } = definitions
  const files = target.components.flatMap(({ unitFile }) => unitFile ?? [])
  const services = target.components.map(({ component }) => ({ cluster: target.cluster, component }))
  const differences = (facts: HostFacts): string[] =>
    target.components.flatMap(({ component, unitFile }) => {
      const difference = unitFile && fileDifference(facts, unitFile, target.layout.root)
      if (difference === undefined) return []
      const before = facts.installation.units.get(component)
      const lines = before === undefined ? [] : lineDifference(before, unitFile?.content.toString() ?? '')
      return [difference, ...lines.map((line) => `  ${line}`)]
    })
  const disabled = (facts: HostFacts): string[] =>
    services.flatMap((id) => (facts.services.get(id.component)?.enabled ? [] : [`${name(id)}: enabled`]))
  const title = `write and enable ${noun}`
  return [
    {
      id: 'units',
      title,
      phase: 'commit',
      batchable: true,
      check: (facts) => {
        const details = [...differences(facts), ...disabled(facts)]
        return details.length === 0 ? undefined : writing(title, details)
      },
      apply: async (transport, facts) => {
        await batchSteps(transport, (to) => [
          writeFiles({ transport: to, facts, files }),
          runOrThrow(to, {
            doing: `enabling the ${noun}`,
            fix: `Fix what ${tool} reports above, then install again.`,
            script: `set -e\n${enable(services)}`,
          }),
        ])
      },
    },
  ]
}
