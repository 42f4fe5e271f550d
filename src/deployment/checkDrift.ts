import { diagnose } from '../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../diagnostics/diagnostic.ts'
import type { Failure } from './events.ts'
import type { HostChecks } from './preflight/checkHosts.ts'

/** Everything that is known of the differences of one host. */
export type DriftOfHost = HostChecks & {
  readonly isInstalled: boolean
  /** Summaries of the steps that an installation would make; absent without a plan. */
  readonly changes?: readonly string[]
  /** Reason why an installation would refuse the host. */
  readonly refused?: Failure
}

/** Returns the findings about hosts that fail checks or differ from the file. */
export const checkDrift = (
  hosts: readonly DriftOfHost[],
  at: (host: string) => Span,
): readonly Diagnostic[] => hosts.flatMap((one) => checkHost(one, { host: one.host, span: at(one.host) }))

function checkHost(
  one: DriftOfHost,
  place: { readonly host: string; readonly span: Span },
): readonly Diagnostic[] {
  const { host, state, results, changes = [], refused } = one
  const problems = results.filter((found) => found.result !== 'ok')
  if (state !== 'checked') {
    const code = state === 'unreachable' ? 'drift-host-unreachable' : 'drift-host-failed'
    return [diagnose(code, { host, reason: problems[0]?.reason ?? '' }, place)]
  }
  const failures = problems.filter(({ result }) => result === 'failure')
  return [
    ...problems.map(({ check, reason, fix, result }) =>
      diagnose(
        result === 'failure' ? 'drift-check' : 'drift-check-warning',
        { host, check, reason, fix },
        place,
      ),
    ),
    ...(changes.length === 0 ? [] : [diagnose('drift-changes', { host, changes }, place)]),
    // A check that fails has said why already.
    ...(refused === undefined || failures.some(({ reason }) => reason === refused.message)
      ? []
      : [diagnose('drift-not-planned', { host, reason: refused.message, fix: refused.fix }, place)]),
  ]
}
