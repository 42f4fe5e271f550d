import type { Command } from 'commander'
import { printable } from '../../base/printable.ts'
import { listOf, shortListOf } from '../../base/words.ts'
import { UsageError } from '../../cli/usageError.ts'
import type { HostConfig } from '../../config/model.ts'
import { existingNameProblems } from '../../contracts/credentialRules.ts'
import type { GivenPasswords } from '../../deployment/prepare.ts'
import type { ClusterOptions } from '../../session/openCluster.ts'
import { namesOf, type SelectedCluster } from '../../session/selectTargets.ts'

export const userArgument = <Made extends Command>(made: Made): Made => made.argument('<name>', 'the user')

/** Splits the user name from the files behind it. Throws a `UsageError` for a name that no user can have. */
export function userGiven(options: ClusterOptions): ClusterOptions & { readonly user: string } {
  const [given = '', ...files] = options.files
  const user = given.normalize('NFC')
  const problems = existingNameProblems(user)
  if (problems.length === 0) return { ...options, files, user }
  throw new UsageError(
    `“${printable(user)}” is not a valid user name: it ${problems.join(', and ')}.`,
    'Put the user name before the files.',
  )
}

/** Throws a `UsageError` if the file names no user for a host. */
export function requireUsers(config: SelectedCluster): void {
  const without = namesOf(config.hosts.filter(({ users }) => users.length === 0))
  if (without.length === 0) return
  throw new UsageError(
    `The file names no user for ${shortListOf(without)}.`,
    'Give rest-api-admin-user or rest-api-users, or leave these hosts out with --host.',
  )
}

const names = ({ users }: HostConfig): readonly string[] => users.map(({ user }) => user)

/**
 * Returns the cluster with only the hosts that have the user by the file, and with only that user. Throws a
 * `UsageError` if there are none.
 */
export function hostsThatName(config: SelectedCluster, user: string): SelectedCluster {
  const has = (host: HostConfig): boolean => names(host).includes(user)
  const hosts = config.hosts.filter(has)
  const excluded = config.excluded.filter(has)
  const alone = (host: HostConfig): HostConfig => ({
    ...host,
    users: host.users.filter((one) => one.user === user),
  })
  if (hosts.length > 0) return { ...config, hosts: hosts.map(alone), excluded }
  const known = [...new Set([...config.hosts, ...config.excluded].flatMap(names))]
  throw excluded.length > 0
    ? new UsageError(
        `The file names the user ${user} only for ${shortListOf(namesOf(excluded))}, which --host does not select.`,
        'Select one of them with --host.',
      )
    : new UsageError(
        `The file names no user ${user}.`,
        known.length === 0 ? 'It names no users.' : `It names ${listOf(known)}.`,
      )
}

/** Returns the users of some hosts; `given` is true if the file gives the password on every host with the user. */
export function usersGiven(
  hosts: readonly { readonly name: string; readonly users: readonly { readonly user: string }[] }[],
  given: GivenPasswords,
): readonly { readonly user: string; readonly given: boolean }[] {
  const users = new Set(hosts.flatMap((host) => host.users.map(({ user }) => user)))
  return [...users].map((user) => ({
    user,
    given: hosts.every(
      (host) => host.users.every((one) => one.user !== user) || given.get(host.name)?.has(user) === true,
    ),
  }))
}
