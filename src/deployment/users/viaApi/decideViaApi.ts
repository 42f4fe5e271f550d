import { saltBytes } from '../../../accounts/passwordHash.ts'
import { listOf, shortListOf } from '../../../base/words.ts'
import type { HostConfig } from '../../../config/model.ts'
import type { GeneratedPassword } from '../../desired/administrators.ts'
import type { HostPlan } from '../../hostPlan.ts'
import { type ClusterState, withUser } from '../../state/clusterState.ts'
import { StepError } from '../../stepError.ts'
import { type AskedHost, type DesiredUsers, withGeneratedPasswords } from './apiHost.ts'
import { type UserCalls, userCalls } from './changeHost.ts'
import { planChanges } from './planChanges.ts'

/** Host whose APIs responded. */
export type AnsweredHost = { readonly desired: DesiredUsers; readonly asked: AskedHost }

/** Decision about hosts and the state directory; nothing is changed yet. */
export type ApiDecision =
  | {
      readonly ok: true
      readonly desiredUsers: readonly DesiredUsers[]
      readonly plans: readonly (HostPlan & Pick<UserCalls, 'snapshot'>)[]
      readonly state: ClusterState
      readonly generated: readonly GeneratedPassword[]
      readonly notes: readonly string[]
    }
  | { readonly ok: false; readonly problems: readonly StepError[] }

/**
 * Decides from the answers of all hosts; pure except for `random`. `excluded` are hosts of the file that were not
 * asked.
 */
export function decideViaApi(options: {
  readonly answered: readonly AnsweredHost[]
  readonly addresses: ReadonlyMap<string, string>
  readonly excluded: readonly HostConfig[]
  readonly state: ClusterState
  readonly random: (size: number) => Buffer
}): ApiDecision {
  const { answered, addresses, excluded, random } = options
  const isOnExcludedHost = (user: string): boolean =>
    excluded.some(({ users }) => users.some((one) => one.user === user))
  const { desiredUsers, generated } = withGeneratedPasswords({ hosts: answered, isOnExcludedHost, random })
  const problems: StepError[] = []
  const extras = new Map<string, string[]>()
  const plans = desiredUsers.flatMap((desired, index) => {
    const asked = answered[index]?.asked
    const planned = asked && planChanges(desired, asked)
    if (asked === undefined || planned === undefined) return []
    if (planned instanceof StepError) {
      problems.push(planned)
      return []
    }
    const { changes, extra } = planned
    const { host } = desired
    if (extra.length > 0 && !desired.prune) {
      const names = listOf(extra)
      extras.set(names, [...(extras.get(names) ?? []), host])
    }
    return [{ host, address: addresses.get(host) ?? host, ...userCalls({ desired, asked, changes }) }]
  })
  if (problems.length > 0) return { ok: false, problems }
  const state = generated.reduce((kept, { user, password }) => {
    const known = kept.users.get(user) ?? { salt: random(saltBytes) }
    return withUser(kept, user, { ...known, password })
  }, options.state)
  const notes = [...extras].map(
    ([names, hosts]) =>
      `${shortListOf(hosts, 8)} ${hosts.length === 1 ? 'has' : 'have'} ${names}, not in the file; --prune would remove them`,
  )
  return { ok: true, desiredUsers, plans, state, generated, notes }
}
