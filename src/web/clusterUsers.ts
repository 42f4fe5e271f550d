import { lastLines } from '../base/printable.ts'
import { readUser } from '../client/calls.ts'
import type { ClusterUsers } from '../contracts/dashboard.ts'

/** Joins what `GET users` returned on each host, in the order of the hosts; what is no user is passed over. */
export function clusterUsers(
  answers: readonly { readonly host: string; readonly payload: unknown }[],
): Pick<ClusterUsers, 'hosts' | 'users'> {
  const levels = answers.map(({ payload }) => {
    const listed = (Array.isArray(payload) ? payload : []).flatMap((one: unknown) => readUser(one) ?? [])
    return new Map(listed.map(({ user, access }) => [lastLines(user), access]))
  })
  const names = [...new Set(levels.flatMap((users) => [...users.keys()]))].toSorted()
  return {
    hosts: answers.map(({ host }) => host),
    users: names.map((user) => ({ user, access: levels.map((users) => users.get(user) ?? null) })),
  }
}
