import { type Hasher, saltBytes, verifyPassword } from '../../accounts/passwordHash.ts'
import { makePassword } from '../../certificates/password.ts'
import type { HostConfig } from '../../config/model.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import { userHash } from '../installedUsers.ts'
import { type ClusterState, type UserState, withUser } from '../state/clusterState.ts'
import { settled } from '../state/passwordRotation.ts'
import type { DesiredUser } from '../target.ts'

/** A host with its facts and, by user, the passwords that its file gives. */
export type HostLogin = {
  readonly host: HostConfig
  readonly facts: InstalledFacts
  readonly given: ReadonlyMap<string, Secret>
}

/** A password that was made and must be shown once. */
export type MadePassword = { readonly user: string; readonly password: Secret }

/**
 * The users of each host. A user without a password gets the one kept in the state directory; else, where no
 * host has that user, one is made and kept; else the user is left as it is (options.md,
 * `rest-api-admin-pass`), unless `generate` wants one made there, too. One salt per user and cluster, so equal
 * passwords are hashed once. `left` are hosts that are not looked at: where one may have the user with a password that is not known here, none is made.
 */
export async function administrators(options: {
  readonly logins: readonly HostLogin[]
  readonly state: ClusterState
  readonly random: (size: number) => Buffer
  /** One that may have begun with the passwords of the files. */
  readonly hash: Hasher
  readonly left?: readonly HostConfig[]
  /** Whether a password is made also where a host has the user with one that is not known here. */
  readonly generate?: boolean
}): Promise<{
  readonly state: ClusterState
  readonly users: ReadonlyMap<string, readonly DesiredUser[]>
  readonly made: readonly MadePassword[]
}> {
  const { logins, random, hash, left = [], generate = false } = options
  const names = [...new Set(logins.flatMap(({ host }) => host.users.map(({ user }) => user)))]
  let state = options.state
  const made: MadePassword[] = []
  for (const user of names) {
    const of = logins.filter(({ host }) => has([host], user))
    const kept = state.users.get(user)
    const unknown = of.some(({ given }) => !given.has(user)) && kept?.password === undefined
    const nowhere = logins.every(({ facts }) => userHash(facts.installation.users, user) === undefined)
    const elsewhere = kept !== undefined && has(left, user)
    const password = unknown && (generate || (nowhere && !elsewhere)) ? makePassword(random) : kept?.password
    if (password !== undefined && kept?.password === undefined) made.push({ user, password })
    state = withUser(state, user, {
      ...kept,
      salt: kept?.salt ?? random(saltBytes),
      ...(password === undefined ? {} : { password }),
    })
  }
  const desired = logins.map(async ({ host, given, facts }) => {
    const of = host.users.flatMap(({ user }) => {
      const known = state.users.get(user)
      const installed = userHash(facts.installation.users, user)
      return known === undefined
        ? []
        : [desiredUser({ user, known, given: given.get(user), installed, hash })]
    })
    return [host.name, await Promise.all(of)] as const
  })
  return { state, users: new Map(await Promise.all(desired)), made }
}

async function desiredUser(options: {
  readonly user: string
  readonly known: UserState
  readonly given: Secret | undefined
  /** The hash that the host has. */
  readonly installed: string | undefined
  readonly hash: Hasher
}): Promise<DesiredUser> {
  const { user, known, given, installed, hash } = options
  const password = given ?? known.password
  const isKept = given === undefined || known.password === undefined || known.password.equals(given)
  // A rotation that has not ended everywhere leaves hosts with the one before.
  const previous = isKept ? known.pending?.[0] : known.password
  const rest = { user, ...(previous === undefined ? {} : { previous }) }
  if (password === undefined) return rest
  const wanted = await hash(password, known.salt)
  const otherwise = installed !== undefined && (await isHashedOtherwise({ password, wanted, installed }))
  return { ...rest, password, hash: wanted, ...(otherwise ? { hashedOtherwise: true } : {}) }
}

/** Whether two hashes are of this one password. With one salt and cost two hashes are two passwords, unasked. */
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
 * The state after a run that succeeded: a kept password that every host's file has replaced is forgotten, and no
 * rotation is under way. Until then all are kept, so that an interrupted run can still prove that the old one is
 * refused, and so that the hosts that a run leaves alone can still be logged in to.
 */
export function forgetReplaced(
  state: ClusterState,
  targets: readonly { readonly users: readonly DesiredUser[] }[],
  left: readonly HostConfig[] = [],
): ClusterState {
  const users = targets.flatMap((target) => target.users)
  const proved = [...state.users].flatMap(([user, known]) => {
    const of = users.filter((one) => one.user === user && one.password !== undefined)
    if (of.length === 0 || has(left, user)) return []
    const isKept = ({ password }: DesiredUser): boolean =>
      password !== undefined && known.password?.equals(password) === true
    return [{ user, given: !of.some(isKept) }]
  })
  return settled(state, proved)
}
