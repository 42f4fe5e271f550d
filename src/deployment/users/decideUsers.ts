import type { Hasher } from '../../accounts/passwordHash.ts'
import { listOf, shortListOf } from '../../base/words.ts'
import type { HostConfig } from '../../config/model.ts'
import type { Secret } from '../../secrets/secret.ts'
import { decideAdministrators, type GeneratedPassword } from '../desired/administrators.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import { installedUsers } from '../installedUsers.ts'
import { loginProblems } from '../prepare.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { StepError } from '../stepError.ts'
import type { DesiredUser } from '../target.ts'
import { outdatedPasswordFailures } from './outdatedPasswords.ts'

/** Host and the passwords in its file, by user. */
export type UsersHost = {
  readonly host: HostConfig
  readonly facts: InstalledFacts
  readonly given: ReadonlyMap<string, Secret>
}

/** Desired users of a host, and further users that it has. */
export type DecidedHost = {
  readonly host: HostConfig
  readonly facts: InstalledFacts
  readonly users: readonly DesiredUser[]
  readonly extra: readonly string[]
}

/** Decision about the users of all hosts and the state directory; nothing is written yet. */
type UsersDecision =
  | {
      readonly ok: true
      readonly hosts: readonly DecidedHost[]
      readonly state: ClusterState
      readonly generated: readonly GeneratedPassword[]
    }
  | { readonly ok: false; readonly problems: readonly StepError[] }

/** Decides the users of each host; returns all problems of all hosts at once. Pure except for `random`. */
export async function decideUsers(options: {
  readonly hosts: readonly UsersHost[]
  /** Hosts of the file that are excluded from the run. */
  readonly excluded: readonly HostConfig[]
  readonly state: ClusterState
  /** Also generates a password if a host has the user with one that is unknown here. */
  readonly generate: boolean
  readonly random: (size: number) => Buffer
  readonly hash: Hasher
}): Promise<UsersDecision> {
  const { hosts, state } = options
  const notInstalledErrors = hosts.flatMap(({ host, facts }) => notInstalled(host, facts))
  const refused = [...notInstalledErrors, ...(await outdatedPasswordFailures(hosts, state, options.hash))]
  if (refused.length > 0) return { ok: false, problems: refused }
  const decided = await decideAdministrators({ ...options, logins: hosts })
  const known = (name: string): readonly DesiredUser[] => decided.users.get(name) ?? []
  const problems = hosts.flatMap(({ host, facts }) => loginProblems(host, known(host.name), facts))
  if (problems.length > 0) return { ok: false, problems }
  return {
    ok: true,
    state: decided.state,
    generated: decided.generated,
    hosts: hosts.map(({ host, facts }) => ({
      host,
      facts,
      users: known(host.name),
      extra: extraUsers(host, facts),
    })),
  }
}

/** Returns the users of a host that its file does not name. */
export const extraUsers = (
  host: Pick<HostConfig, 'users'>,
  { installation }: InstalledFacts,
): readonly string[] =>
  installedUsers(installation.users)
    .map(({ user }) => user)
    .filter((user) => host.users.every((one) => one.user !== user))

/** Returns one note for all hosts with the same further users. */
export function extraNotes(hosts: readonly Pick<DecidedHost, 'host' | 'extra'>[]): readonly string[] {
  const byNames = new Map<string, string[]>()
  for (const { host, extra } of hosts) {
    if (extra.length > 0) byNames.set(listOf(extra), [...(byNames.get(listOf(extra)) ?? []), host.name])
  }
  return [...byNames].map(
    ([names, of]) =>
      `${shortListOf(of, 8)} ${of.length === 1 ? 'has' : 'have'} ${names}, not in the file; --prune would remove them`,
  )
}

function notInstalled(host: HostConfig, { installation }: InstalledFacts): readonly StepError[] {
  const { currentRelease, applied } = installation
  if (currentRelease !== undefined && applied.size > 0) return []
  return [
    new StepError({
      host: host.name,
      code: 'not-installed',
      message: `no complete installation in ${host.installDirectory}`,
      fix: `Install it with \`muster install --host ${host.name}\`, or exclude it with --host.`,
    }),
  ]
}
