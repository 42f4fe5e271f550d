import { listOf, shortListOf } from '../base/words.ts'
import type { CommandContext } from '../cli/context.ts'
import type { HostConfig } from '../config/model.ts'
import type { InstalledFacts } from '../deployment/facts/hostFacts.ts'
import { installedUsers } from '../deployment/installedUsers.ts'
import type { ClusterState } from '../deployment/state/clusterState.ts'
import { StepError } from '../deployment/stepError.ts'
import { extraUsers } from '../deployment/users/decideUsers.ts'
import type { LeftHost } from './leftHosts.ts'

/** Hosts and users that left the file, as programs read them. */
export type LeftJson = {
  readonly hosts: readonly {
    readonly host: string
    readonly state: LeftHost['is']
    readonly detail: string
  }[]
  readonly users: readonly LeftUser[]
}

type Known = { readonly host: HostConfig; readonly facts: InstalledFacts }

/**
 * Returns the users of a host that muster made there and that its file no longer names. Others, which somebody made
 * through the API, are for `muster users`.
 */
export const leftUsers = ({ host, facts }: Known, state: ClusterState): readonly string[] =>
  extraUsers(host, facts).filter((user) => state.users.has(user))

/** A user that left the file, with the hosts that still accept it and its levels there. */
type LeftUser = {
  readonly user: string
  readonly hosts: readonly string[]
  readonly access: readonly string[]
}

/** Prints a note for each user that left the file, with the hosts that have it and how to take it out; returns them. */
export function reportLeftUsers(options: {
  readonly context: Pick<CommandContext, 'stderr'>
  readonly config: { readonly cluster: string }
  readonly state: ClusterState
  readonly reached: readonly Known[]
}): readonly LeftUser[] {
  const { context, config, state, reached } = options
  const found = new Map<string, { readonly hosts: string[]; readonly levels: Set<string> }>()
  for (const one of reached) {
    const records = installedUsers(one.facts.installation.users)
    for (const user of leftUsers(one, state)) {
      const known = found.get(user) ?? { hosts: [], levels: new Set() }
      known.hosts.push(one.host.name)
      known.levels.add(records.find((record) => record.user === user)?.access ?? 'full')
      found.set(user, known)
    }
  }
  const left = [...found].map(
    ([user, { hosts, levels }]): LeftUser => ({ user, hosts, access: [...levels].sort() }),
  )
  for (const { user, hosts, access } of left) {
    const accept = hosts.length === 1 ? 'accepts' : 'accept'
    context.stderr.write(
      `note: the user ${user} left the file of ${config.cluster}, but ${shortListOf(hosts, 8)} still ${accept} it, with access ${listOf(access)}. To take it out: muster install --prune\n`,
    )
  }
  return left
}

/** Returns what left the file as programs read it. */
export const leftToJson = (hosts: readonly LeftHost[], users: readonly LeftUser[]): LeftJson => ({
  hosts: hosts.map(({ name, is, what }) => ({ host: name, state: is, detail: what })),
  users,
})

/** Reports a host that would have no user with full access once those that left its file are removed. */
export function lastFullUser({ host, facts }: Known, state: ClusterState): StepError | undefined {
  const names = leftUsers({ host, facts }, state)
  const isFull = ({ access = 'full' }: { readonly access?: string }): boolean => access === 'full'
  const stay = installedUsers(facts.installation.users).filter(({ user }) => !names.includes(user))
  if (names.length === 0 || host.users.some(isFull) || stay.some(isFull)) return undefined
  return new StepError({
    host: host.name,
    code: 'last-user',
    message: `without ${listOf(names)}, which left the file, no user of the host has the access level full`,
    fix: 'Give the file another user with the access level full, then install again.',
  })
}

/** Returns the state without users that no host of the file has any more. */
export function withoutLeftUsers(state: ClusterState, hosts: readonly HostConfig[]): ClusterState {
  const named = new Set(hosts.flatMap(({ users }) => users.map(({ user }) => user)))
  return { ...state, users: new Map([...state.users].filter(([user]) => named.has(user))) }
}
