import type { Component } from '../contracts/component.ts'
import { diagnose } from '../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../diagnostics/diagnostic.ts'
import type { InspectedHost } from './certificates/checkCertificates.ts'
import type { Failure } from './events.ts'
import type { HostPlan } from './hostPlan.ts'
import type { HostChecks } from './preflight/checkHosts.ts'
import type { HostUsers } from './users/hostUsers.ts'

/** Everything that is known of the differences of one host. */
export type DriftOfHost = HostChecks & {
  readonly isInstalled: boolean
  /** Installed components that do not run. */
  readonly stopped: readonly Component[]
  /** Summaries of the steps that an installation would make; absent without a plan. */
  readonly changes?: readonly string[]
  /** The plan with these steps. */
  readonly plan?: HostPlan
  /** Reason why an installation would refuse the host. */
  readonly refused?: Failure
}

/** Everything that one examination saw of all hosts. */
type Examination = {
  readonly hosts: readonly DriftOfHost[]
  readonly certificates: readonly InspectedHost[]
  readonly users: readonly HostUsers[]
}

/**
 * Leaves out of certificates and users what only follows from the state of a host: those of a host that was lost
 * meanwhile, which becomes unreachable, or where nothing is installed, and the silence of a component that does not
 * run.
 */
export function withoutConsequences({ hosts, certificates, users }: Examination): Examination {
  const lost = new Map(
    [...certificates.map((one) => one.certificates), ...users].flatMap(({ host, state, detail = '' }) =>
      state === 'unreachable' ? [[host, detail] as const] : [],
    ),
  )
  const seen = hosts.map((one): DriftOfHost => {
    const reason = one.state === 'checked' ? lost.get(one.host) : undefined
    if (reason === undefined) return one
    return {
      ...one,
      state: 'unreachable',
      results: [{ check: 'login', result: 'failure', reason, fix: '' }],
    }
  })
  const shown = new Map(
    seen.flatMap((one) => (one.state === 'checked' && one.isInstalled ? [[one.host, one] as const] : [])),
  )
  const running = <Of extends { readonly component: Component }>(host: string, of: readonly Of[]) =>
    of.filter(({ component }) => shown.get(host)?.stopped.includes(component) !== true)
  return {
    hosts: seen,
    certificates: certificates
      .filter(({ host }) => shown.has(host.name))
      .map((one) => ({
        ...one,
        certificates: {
          ...one.certificates,
          components: running(one.host.name, one.certificates.components),
        },
      })),
    users: users
      .filter(({ host }) => shown.has(host))
      .map((one) => ({ ...one, components: running(one.host, one.components) })),
  }
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
  const { host, state, results, isInstalled, stopped, changes = [], refused } = one
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
    ...(isInstalled && stopped.length > 0
      ? [diagnose('drift-component-stopped', { host, components: stopped }, place)]
      : []),
    ...(changes.length === 0 ? [] : [diagnose('drift-changes', { host, changes }, place)]),
    // A check that fails has said why already.
    ...(refused === undefined || failures.some(({ reason }) => reason === refused.message)
      ? []
      : [diagnose('drift-not-planned', { host, reason: refused.message, fix: refused.fix }, place)]),
  ]
}
