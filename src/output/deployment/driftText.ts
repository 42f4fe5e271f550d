import { counted } from '../../base/words.ts'
import { type DriftOfHost, driftChanges } from '../../deployment/checkDrift.ts'
import type { StepChange } from '../../deployment/step.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { alike } from './plan.ts'

/** The last line of a report without drift; undefined where findings say what differs. */
export function driftSummary(options: {
  readonly good: boolean
  readonly silenced: number
  readonly cluster: string
  readonly hosts: readonly DriftOfHost[]
}): string | undefined {
  const { good, silenced, cluster, hosts } = options
  if (!good) return undefined
  const quiet = silenced === 0 ? '' : ` (${silenced} silenced)`
  const checks = hosts.reduce((sum, { results }) => sum + results.length, 0)
  return `${cluster} has no drift: ${counted(hosts.length, 'host')}, ${counted(checks, 'check')}, no changes to make${quiet}.`
}

/** Groups the findings of hosts that differ by the same changes into one, which says what changes as a plan does. */
export function withGroupedChanges(
  findings: readonly Diagnostic[],
  hosts: readonly DriftOfHost[],
): readonly Diagnostic[] {
  const isChange = ({ code }: Diagnostic): boolean => code === 'drift-changes'
  const reported = new Set(findings.filter(isChange).map(({ host }) => host))
  const plans = hosts.flatMap(({ host, plan }) => (plan && reported.has(host) ? [plan] : []))
  const groups = alike(plans)
  const hidden = new Set(groups.flatMap(({ others }) => others))
  const shown = new Map(groups.map((group) => [group.plan.host, group]))
  return findings.flatMap((finding) => {
    const { host, span } = finding
    if (!isChange(finding) || host === undefined) return [finding]
    if (hidden.has(host)) return []
    const group = shown.get(host)
    if (group === undefined) return [finding]
    const changes = group.plan.steps.map(({ change }) => changeText(change))
    return [driftChanges({ host, others: group.others, changes }, { host, span })]
  })
}

/** Number of details that one change shows. */
const shownDetails = 3

/** Writes a change on one line, with its first details. */
function changeText({ summary, details }: StepChange): string {
  if (details.length === 0) return summary
  const more = details.length - shownDetails
  const shown = details.slice(0, shownDetails).map((detail) => detail.trim())
  return `${summary} (${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''})`
}

/** Members of the report as JSON. */
export const driftJson = (
  cluster: string,
  hosts: readonly DriftOfHost[],
): Readonly<Record<string, unknown>> => ({
  cluster,
  hosts: hosts.map(({ host, address, state, isInstalled, changes }) => ({
    host,
    address,
    state,
    installed: isInstalled,
    ...(changes === undefined ? {} : { changes }),
  })),
})
