import { type Hasher, saltBytes, verifyPassword } from '../../accounts/passwordHash.ts'
import { generatePassword } from '../../certificates/password.ts'
import type { HostConfig } from '../../config/model.ts'
import type { AccessLevel } from '../../contracts/accessLevels.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import { userHash } from '../installedUsers.ts'
import { type ClusterState, type UserState, withUser } from '../state/clusterState.ts'
import { afterVerifiedRun } from '../state/passwordRotation.ts'
import type { DesiredUser } from '../target.ts'

/** Host with its facts and, by user, the passwords in its file. */
export type HostLogin = {
  readonly host: HostConfig
  readonly facts: InstalledFacts
  readonly given: ReadonlyMap<string, Secret>
}

/** Generated password that must be shown once. */
export type GeneratedPassword = { readonly user: string; readonly password: Secret }

/**
 * Decides the users of each host. A user without a password gets the one in the state directory; otherwise, if no
 * host has that user, a password is generated and kept; otherwise the user is not changed (options.md,
 * `rest-api-admin-pass`), unless `generate` asks for a new one there too. One salt per user and cluster, so that
 * equal passwords are hashed once. `excluded` are hosts that were not read: if one of them may have the user with an
 * unknown password, none is generated.
 */
export async function decideAdministrators(options: {
  readonly logins: readonly HostLogin[]
  readonly state: ClusterState
  readonly random: (size: number) => Buffer
  /** Hasher that may already hash the passwords of the files. */
  readonly hash: Hasher
  readonly excluded?: readonly HostConfig[]
  /** Also generates a password if a host has the user with one that is unknown here. */
  readonly generate?: boolean
}): Promise<{
  readonly state: ClusterState
  readonly users: ReadonlyMap<string, readonly DesiredUser[]>
  readonly generated: readonly GeneratedPassword[]
}> {
  const { logins, random, hash, excluded = [], generate = false } = options
  const names = [...new Set(logins.flatMap(({ host }) => host.users.map(({ user }) => user)))]
  let state = options.state
  const generated: GeneratedPassword[] = []
  for (const user of names) {
    const of = logins.filter(({ host }) => has([host], user))
    const kept = state.users.get(user)
    const unknown = of.some(({ given }) => !given.has(user)) && kept?.password === undefined
    const nowhere = logins.every(({ facts }) => userHash(facts.installation.users, user) === undefined)
    const elsewhere = kept !== undefined && has(excluded, user)
    const password =
      unknown && (generate || (nowhere && !elsewhere)) ? generatePassword(random) : kept?.password
    if (password !== undefined && kept?.password === undefined) generated.push({ user, password })
    state = withUser(state, user, {
      ...kept,
      salt: kept?.salt ?? random(saltBytes),
      ...(password === undefined ? {} : { password }),
    })
  }
  const desired = logins.map(async ({ host, given, facts }) => {
    const of = host.users.flatMap(({ user, access }) => {
      const known = state.users.get(user)
      const installed = userHash(facts.installation.users, user)
      return known === undefined
        ? []
        : [desiredUser({ user, access, known, given: given.get(user), installed, hash })]
    })
    return [host.name, await Promise.all(of)] as const
  })
  return { state, users: new Map(await Promise.all(desired)), generated }
}

async function desiredUser(options: {
  readonly user: string
  readonly access: AccessLevel
  readonly known: UserState
  readonly given: Secret | undefined
  /** Hash that the host has. */
  readonly installed: string | undefined
  readonly hash: Hasher
}): Promise<DesiredUser> {
  const { user, access, known, given, installed, hash } = options
  const password = given ?? known.password
  const isKept = given === undefined || known.password === undefined || known.password.equals(given)
  // An unfinished rotation leaves hosts with the previous password.
  const previous = isKept ? known.pending?.[0] : known.password
  const rest = { user, access, ...(previous === undefined ? {} : { previous }) }
  if (password === undefined) return rest
  const wanted = await hash(password, known.salt)
  const otherwise = installed !== undefined && (await isHashedOtherwise({ password, wanted, installed }))
  return { ...rest, password, hash: wanted, ...(otherwise ? { hashedOtherwise: true } : {}) }
}

/**
 * Returns true if two hashes belong to this password. Two hashes with the same salt and cost are two different
 * passwords; no scrypt is needed.
 */
async function isHashedOtherwise(options: {
  readonly password: Secret
  readonly wanted: string
  readonly installed: string
}): Promise<boolean> {
  const { password, wanted, installed } = options
  const saltOf = (phc: string): string => phc.slice(0, phc.lastIndexOf('$'))
  return saltOf(wanted) !== saltOf(installed) && verifyPassword(password, installed)
}

const has = (hosts: readonly HostConfig[], name: string): boolean =>
  hosts.some(({ users }) => users.some(({ user }) => user === name))

/**
 * Returns the state after a successful run: drops kept passwords that every host's file has replaced, and ends
 * rotations. Until then all are kept, so that an interrupted run can still verify that the old one is refused, and so
 * that excluded hosts can still be logged in to.
 */
export function dropReplacedPasswords(
  state: ClusterState,
  targets: readonly { readonly users: readonly DesiredUser[] }[],
  excluded: readonly HostConfig[] = [],
): ClusterState {
  const users = targets.flatMap((target) => target.users)
  const proved = [...state.users].flatMap(([user, known]) => {
    const of = users.filter((one) => one.user === user && one.password !== undefined)
    if (of.length === 0 || has(excluded, user)) return []
    const isKept = ({ password }: DesiredUser): boolean =>
      password !== undefined && known.password?.equals(password) === true
    return [{ user, given: !of.some(isKept) }]
  })
  return afterVerifiedRun(state, proved)
}
