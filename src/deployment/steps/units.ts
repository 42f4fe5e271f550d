import { quote } from '../../transport/shellWords.ts'
import { fileDifference, writeFiles } from '../desiredFile.ts'
import type { HostFacts } from '../facts/model.ts'
import { inOneFlight } from '../flight.ts'
import { unitName } from '../layout.ts'
import { mustRun } from '../script.ts'
import { change, type Step } from '../step.ts'
import type { Target } from '../target.ts'

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
        ...files.flatMap((file) => fileDifference(facts, file, target.layout.root) ?? []),
        ...disabled(facts),
      ]
      return details.length === 0 ? undefined : change('write and enable systemd units', details)
    },
    apply: async (transport) => {
      await inOneFlight(transport, (to) => [
        writeFiles({ transport: to, facts: target.facts, files }),
        mustRun(to, {
          doing: 'enabling the systemd units',
          fix: `Look at \`systemctl status\` of ${names.join(', ')} on the host.`,
          script: `set -e\nsystemctl daemon-reload\nsystemctl --quiet enable ${names.map(quote).join(' ')}`,
        }),
      ])
    },
  }
}
