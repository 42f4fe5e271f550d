import { quote } from '../../base/shellWords.ts'
import type { HostFacts } from '../facts/model.ts'
import { unitDirectory, unitName } from '../layout.ts'
import { mustRun } from '../script.ts'
import { drainTimeoutOf, stopPatience } from '../services/stopping.ts'
import { deletion, type Step } from '../step.ts'
import type { Target } from '../target.ts'

/** Takes away the units of an installation whose components become detached processes. */
export function staleUnitsStep(target: Target): Step {
  const names = target.components.map(({ component }) => unitName(target.cluster, component))
  const stale = (facts: HostFacts): string[] =>
    target.service.manager === 'systemd'
      ? []
      : names.filter((name) => facts.installation.files.has(`${unitDirectory}/${name}`))
  return {
    id: 'stale-units',
    title: 'remove systemd units',
    phase: 'commit',
    atOnce: true,
    check: (facts) => {
      const found = stale(facts)
      return found.length === 0 ? undefined : deletion('stop and remove systemd units', found)
    },
    apply: async (transport) => {
      const units = stale(target.facts).map(quote).join(' ')
      await mustRun(transport, {
        timeout: stopPatience(drainTimeoutOf(target.facts)),
        doing: 'removing the systemd units',
        fix: 'Fix what systemctl reports above, then install again.',
        script: `set -e
systemctl --quiet disable --now ${units}
cd ${unitDirectory}
rm -f ${units}
systemctl daemon-reload`,
      })
    },
  }
}
