import { quote } from '../../base/shellWords.ts'
import { fileDifference, writeFiles } from '../desiredFile.ts'
import { lineDifference } from '../differences/lines.ts'
import type { HostFacts } from '../facts/model.ts'
import { inOneFlight } from '../flight.ts'
import { unitName } from '../layout.ts'
import { mustRun } from '../script.ts'
import { type Step, writing } from '../step.ts'
import type { DesiredComponent, Target } from '../target.ts'

function differences(
  facts: HostFacts,
  { component, unitFile }: DesiredComponent,
  root: string,
): readonly string[] {
  const difference = unitFile && fileDifference(facts, unitFile, root)
  if (difference === undefined) return []
  const before = facts.installation.units.get(component)
  const lines = before === undefined ? [] : lineDifference(before, unitFile?.content.toString() ?? '')
  return [difference, ...lines.map((line) => `  ${line}`)]
}

/** systemd units, enabled so that the components come back with the host. */
export function unitsStep(target: Target): Step {
  const files = target.components.flatMap(({ unitFile }) => unitFile ?? [])
  const names = target.components.map(({ component }) => unitName(target.cluster, component))
  const disabled = (facts: HostFacts): string[] =>
    files.length === 0
      ? []
      : target.components.flatMap(({ component }, index) =>
          facts.services.get(component)?.enabled ? [] : [`${names[index]}: enabled`],
        )
  return {
    id: 'units',
    title: 'write and enable systemd units',
    phase: 'commit',
    atOnce: true,
    check: (facts) => {
      const details = [
        ...target.components.flatMap((component) => differences(facts, component, target.layout.root)),
        ...disabled(facts),
      ]
      return details.length === 0 ? undefined : writing('write and enable systemd units', details)
    },
    apply: async (transport) => {
      await inOneFlight(transport, (to) => [
        writeFiles({ transport: to, facts: target.facts, files }),
        mustRun(to, {
          doing: 'enabling the systemd units',
          fix: 'Fix what systemctl reports above, then install again.',
          // Else `enable` would reload as well: every reload runs all generators of the host.
          script: `set -e\nsystemctl --quiet --no-reload enable ${names.map(quote).join(' ')}\nsystemctl daemon-reload`,
        }),
      ])
    },
  }
}
