import type { LostHost } from '../survey.ts'
import { checks } from './checks.ts'
import type { Surroundings } from './subject.ts'
import { type CheckResult, failure } from './verdict.ts'

/** A host and what the checks say of it; one that was lost has the one result that tells why. */
export type HostChecks = {
  readonly host: string
  readonly address: string
  readonly state: 'checked' | 'unreachable' | 'failed'
  readonly results: readonly CheckResult[]
}

/** Makes every check on every host that was reached. In the order of the file; hosts not asked are left out. */
export function judgeHosts(around: Surroundings, lost: readonly LostHost[]): readonly HostChecks[] {
  const judged = new Map(
    around.subjects.map((subject): readonly [string, HostChecks] => {
      const results = checks.flatMap(({ id, judge }) =>
        judge(subject, around).map((verdict): CheckResult => ({ check: id, ...verdict })),
      )
      const { name, address } = subject.host
      return [name, { host: name, address, state: 'checked', results }]
    }),
  )
  for (const one of lost) judged.set(one.host.name, lostHost(one))
  return around.config.hosts.flatMap(({ name }) => judged.get(name) ?? [])
}

function lostHost({ host, failure: { code, message, fix }, unreachable }: LostHost): HostChecks {
  const check = code === 'sudo-refused' ? 'root' : 'login'
  return {
    host: host.name,
    address: host.address,
    state: unreachable ? 'unreachable' : 'failed',
    results: failure(message, fix).map((verdict) => ({ check, ...verdict })),
  }
}
