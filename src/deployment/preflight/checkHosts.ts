import type { UnreachableHost } from '../survey.ts'
import {
  type Check,
  type CheckContext,
  failure,
  failures,
  type Subject,
  type Verdict,
} from './checkContract.ts'
import { checks, exclusiveProblem } from './checks.ts'

/** Verdict and the id of its check. */
export type CheckResult = Verdict & { readonly check: string }

/** Results of one host; an unreachable host has a single one with the reason. */
export type HostChecks = {
  readonly host: string
  readonly address: string
  readonly state: 'checked' | 'unreachable' | 'failed'
  readonly results: readonly CheckResult[]
}

/** Runs every check on every reachable host; a problem that makes the others meaningless stands alone. Results are in file order; hosts that were not requested are omitted. */
export function checkHosts(
  context: CheckContext,
  unreachableHosts: readonly UnreachableHost[],
): readonly HostChecks[] {
  const checked = new Map(
    context.subjects.map((subject): readonly [string, HostChecks] => {
      const { name, address } = subject.host
      return [name, { host: name, address, state: 'checked', results: resultsOf(subject, context) }]
    }),
  )
  for (const one of unreachableHosts) checked.set(one.host.name, unreachableHost(one))
  return context.config.hosts.flatMap(({ name }) => checked.get(name) ?? [])
}

/** On a host of another cluster, for example, its components would be taken for strange programs. */
function resultsOf(subject: Subject, context: CheckContext): readonly CheckResult[] {
  const only = exclusiveProblem(subject)
  return (only === undefined ? checks : [only]).flatMap((check) =>
    runCheck({ check, subject, context }).map((verdict) => ({ check: check.id, ...verdict })),
  )
}

export function runCheck(options: {
  readonly check: Check
  readonly subject: Subject
  readonly context: CheckContext
}): readonly Verdict[] {
  const { check, subject, context } = options
  const problems = check.check?.(subject) ?? []
  return problems.length > 0 ? failures(problems) : check.describe(subject, context)
}

function unreachableHost({
  host,
  failure: { code, message, fix },
  unreachable,
}: UnreachableHost): HostChecks {
  const check = code === 'sudo-refused' ? 'root' : 'login'
  return {
    host: host.name,
    address: host.address,
    state: unreachable ? 'unreachable' : 'failed',
    results: failure(message, fix).map((verdict) => ({ check, ...verdict })),
  }
}
