import { counted, listOf, shortListOf } from '../base/words.ts'
import type { Component } from '../contracts/component.ts'
import type { Diagnostic, Span } from '../diagnostics/diagnostic.ts'
import { finding } from '../diagnostics/finding.ts'
import type { InspectedHost } from './certificates/checkCertificates.ts'
import type { HostCertificates } from './certificates/hostCertificates.ts'
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
 * meanwhile, which becomes unreachable, or where nothing is installed, the silence of a component that does not run, and
 * a database that its components cannot log in to.
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
          ...withoutRefusedLogin(one.certificates),
          components: running(one.host.name, one.certificates.components),
        },
      })),
    users: users
      .filter(({ host }) => shown.has(host))
      .map((one) => ({ ...one, components: running(one.host, one.components) })),
  }
}

/** Leaves out a database without a certificate: the checks say why nobody logs in there. */
const withoutRefusedLogin = ({ database, ...rest }: HostCertificates): HostCertificates =>
  database?.served === undefined ? rest : { ...rest, database }

/** Returns the findings about hosts that fail checks or differ from the file. */
export const checkDrift = (
  hosts: readonly DriftOfHost[],
  at: (host: string) => Span,
): readonly Diagnostic[] => hosts.flatMap((one) => checkHost(one, { host: one.host, span: at(one.host) }))

type HostReason = { readonly host: string; readonly reason: string }

const driftHostUnreachable = finding('drift-host-unreachable', (facts: HostReason) => ({
  message: `${facts.host} is unreachable: ${facts.reason}`,
  why: 'It is unknown if the host differs from the file.',
  fix: `Run muster check --host ${facts.host}; if the host is down on purpose, exclude it with --host.`,
}))

const driftHostFailed = finding('drift-host-failed', (facts: HostReason) => ({
  message: `${facts.host} could not be examined: ${facts.reason}`,
  why: 'It is unknown if the host differs from the file.',
  fix: `Run muster check --host ${facts.host}.`,
}))

const driftNotPlanned = finding('drift-not-planned', (facts: HostReason & { fix: string }) => ({
  message: `No plan could be made for ${facts.host}: ${facts.reason}`,
  why: 'It is unknown if the host differs from the file.',
  fix: facts.fix,
}))

const driftComponentStopped = finding(
  'drift-component-stopped',
  (facts: { host: string; components: readonly string[] }) => ({
    message: `The ${listOf(facts.components)} of ${facts.host} ${facts.components.length === 1 ? 'does' : 'do'} not run.`,
    why: 'It was stopped, or it failed; its certificate and its users cannot be examined.',
    fix: `Run muster logs --host ${facts.host} to see why, then muster start --host ${facts.host}.`,
  }),
)

export const driftChanges = finding(
  'drift-changes',
  (facts: {
    host: string
    changes: readonly string[]
    /** Hosts with the same changes. */
    others?: readonly string[]
  }) => {
    const { host, changes, others = [] } = facts
    const made = `${counted(changes.length, 'change')}${others.length === 0 ? '' : ' on each'}`
    const hosts = [host, ...others]
    // As many as fit on a line; all hosts beyond that.
    const limit = hosts.length > 8 ? '' : ` --host ${hosts.join()}`
    return {
      message: `${shortListOf(hosts, 12)} ${others.length === 0 ? 'differs' : 'differ'} from the file; install would make ${made}: ${shortListOf(changes, 6)}.`,
      why: 'Somebody changed the host or the file since the last installation, or muster is newer than the release on the host.',
      fix: `Run muster plan${limit} to see the differences, then muster install${limit}.`,
    }
  },
)

type CheckFacts = HostReason & { readonly check: string; readonly fix: string }

const driftCheck = finding('drift-check', (facts: CheckFacts) => ({
  message: `The check ${facts.check} fails on ${facts.host}: ${facts.reason}`,
  why: 'An installation would refuse the host, or the host would not work as the file says.',
  fix: facts.fix,
}))

const driftCheckWarning = finding('drift-check-warning', (facts: CheckFacts) => ({
  message: `The check ${facts.check} warns on ${facts.host}: ${facts.reason}`,
  why: 'It does not prevent an installation.',
  fix: facts.fix,
}))

function checkHost(
  one: DriftOfHost,
  place: { readonly host: string; readonly span: Span },
): readonly Diagnostic[] {
  const { host, state, results, isInstalled, stopped, changes = [], refused } = one
  const problems = results.filter((found) => found.result !== 'ok')
  if (state !== 'checked') {
    const report = state === 'unreachable' ? driftHostUnreachable : driftHostFailed
    return [report({ host, reason: problems[0]?.reason ?? '' }, place)]
  }
  const failures = problems.filter(({ result }) => result === 'failure')
  return [
    ...problems.map(({ check, reason, fix, result }) =>
      (result === 'failure' ? driftCheck : driftCheckWarning)({ host, check, reason, fix }, place),
    ),
    ...(isInstalled && stopped.length > 0
      ? [driftComponentStopped({ host, components: stopped }, place)]
      : []),
    ...(changes.length === 0 ? [] : [driftChanges({ host, changes }, place)]),
    // A check that fails has said why already.
    ...(refused === undefined || failures.some(({ reason }) => reason === refused.message)
      ? []
      : [driftNotPlanned({ host, reason: refused.message, fix: refused.fix }, place)]),
  ]
}
