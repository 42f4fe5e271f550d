import { shortListOf } from '../../base/words.ts'
import { listedUsers } from '../../client/calls.ts'
import { type AccessLevel, accessLevels } from '../../contracts/accessLevels.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import { components as allComponents, type Component } from '../../contracts/component.ts'
import { callOf } from '../../contracts/routeCall.ts'
import type { Secret } from '../../secrets/secret.ts'
import { callHost } from '../callHost.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import { installedSet } from '../installedSet.ts'
import { installedUsers } from '../installedUsers.ts'
import { layoutOf } from '../layout.ts'
import { verificationWithUsers } from '../releases/installedVerification.ts'
import type { ClusterState } from '../state/clusterState.ts'
import type { SurveyedHost } from '../survey.ts'

/** Milliseconds for one request. */
const timeout = 10_000

/**
 * Result of comparing a host's password with the known one; `unknown`: none is known here; `unread`: the file names a
 * source for it, which was not read.
 */
export type PasswordVerdict = 'known' | 'another' | 'unknown' | 'unread'

/** One user on one host. */
export type UserOnHost = {
  readonly user: string
  /** True if the file names the user for this host. */
  readonly named: boolean
  readonly present: boolean
  /** Absent if the host has no such user. */
  readonly access?: AccessLevel
  /** Level in the file; absent if that does not name the user. */
  readonly wantedAccess?: AccessLevel
  /** Absent if the host has no such user. */
  readonly password?: PasswordVerdict
  /** PHC string, to see whether hosts differ; never shown. */
  readonly hash?: string
  /** Day (UTC) on which the password in the file was replaced. */
  readonly replaced?: string
}

/** Responses of one component. */
export type ComponentUsers = {
  readonly component: Component
  /** `socket only`, or the address of its API. */
  readonly where: string
  /** Names of the users that may log in; absent without a response. */
  readonly names?: readonly string[]
  /** Why there is no response. */
  readonly detail?: string
  /** Result of a login by user; `in` if it succeeded. */
  readonly logins: ReadonlyMap<string, string>
}

/** Users who can log in to one host now. */
export type HostUsers = {
  readonly host: string
  readonly state: 'up' | 'not-installed' | 'unreachable' | 'failed'
  readonly detail?: string
  readonly users: readonly UserOnHost[]
  readonly components: readonly ComponentUsers[]
}

/** Returns the components that any of the hosts has, in their order. */
export const componentsOf = (hosts: readonly HostUsers[]): readonly Component[] =>
  allComponents.filter((name) =>
    hosts.some(({ components }) => components.some(({ component }) => component === name)),
  )

/** Compares the known password of a user with the installed one. */
export type ComparePassword = (user: string, hash: string) => Promise<PasswordVerdict>

/**
 * Reads the users of one host: its user file, and the response of each component over its socket. With `logins` it
 * also logs in each user whose known password matches the installed hash, over TCP and TLS at the component's
 * listener. Never tries a password that does not match the hash: five failures lock a user out.
 */
export async function hostUsers(options: {
  readonly surveyed: SurveyedHost<InstalledFacts>
  readonly cluster: string
  readonly state: ClusterState
  readonly compare: ComparePassword
  /** Known passwords by user. */
  readonly known: ReadonlyMap<string, Secret>
  readonly logins: boolean
}): Promise<HostUsers> {
  const { surveyed, compare } = options
  const { host, facts } = surveyed
  if (facts.installation.currentRelease === undefined) {
    return { host: host.name, state: 'not-installed', users: [], components: [] }
  }
  const installed = installedUsers(facts.installation.users)
  const present = await Promise.all(
    installed.map(async ({ user, access, hash }): Promise<UserOnHost> => {
      const named = host.users.find((one) => one.user === user)
      const password = await compare(user, hash)
      const wanted = named && { wantedAccess: named.access }
      return { user, named: named !== undefined, present: true, access, ...wanted, hash, password }
    }),
  )
  const missing = host.users
    .filter(({ user }) => present.every((one) => one.user !== user))
    .map(
      ({ user, access }): UserOnHost => ({
        user,
        named: true,
        present: false,
        wantedAccess: access,
      }),
    )
  const order = host.users.map(({ user }) => user)
  const place = ({ user }: UserOnHost): number => (order.includes(user) ? order.indexOf(user) : order.length)
  const users = [...present, ...missing].sort((one, other) => place(one) - place(other))
  return { host: host.name, state: 'up', users, components: await askComponents(options, users) }
}

async function askComponents(
  { surveyed, cluster, state, known, logins }: Parameters<typeof hostUsers>[0],
  users: readonly UserOnHost[],
): Promise<readonly ComponentUsers[]> {
  const { host, facts, transport } = surveyed
  const layout = layoutOf(host.installDirectory)
  const set = installedSet({ cluster, layout, facts })
  const { components, authorities } = verificationWithUsers({ host, facts, set, state, users: [] })
  const running = components.filter(({ component }) => facts.services.get(component)?.state === 'running')
  const tried = logins ? users.filter(({ password }) => password === 'known') : []
  const requests = running.flatMap(({ component, settings: { socket, listen } }) => [
    { ...callOf(commonRoutes.users), id: component, target: { socket }, timeout },
    ...tried.flatMap(({ user }) => {
      const password = known.get(user)?.reveal()
      const target = listen === null ? { socket } : { ...listen, authorities }
      if (password === undefined) return []
      const call = { ...callOf(commonRoutes.user, { user }), target, timeout }
      return [{ ...call, id: `${component} ${user}`, credentials: { user, password } }]
    }),
  ])
  const results = await callHost({
    ...{ transport, layout, account: set.account, requests },
    timeout: 2 * timeout,
    running: true,
  })
  return components.map(({ component, settings: { listen } }): ComponentUsers => {
    const where = listen === null ? 'its socket' : `${listen.address}:${listen.port}`
    if (running.every((one) => one.component !== component)) {
      return { component, where, detail: 'it does not run', logins: new Map() }
    }
    const of = (id: string) => results.find((result) => result.id === id)
    const response = of(component)
    const listed = response !== undefined && 'status' in response && response.status === 200
    const names = listed ? listedUsers(response.body)?.map(({ user }) => user) : undefined
    const entered = tried.map(({ user }) => {
      const result = of(`${component} ${user}`)
      if (result === undefined) return [user, 'no answer'] as const
      if ('error' in result) return [user, result.error.message] as const
      return [user, result.status === 200 ? 'in' : `answered ${result.status}`] as const
    })
    const detail =
      response !== undefined && 'error' in response ? response.error.message : 'it returned no list of users'
    return { component, where, ...(names ? { names } : { detail }), logins: new Map(entered) }
  })
}

/** User that differs between hosts. */
type UserDifference = {
  readonly user: string
  /** Hosts without the user: if their file names it, or if no file does and other hosts have it. */
  readonly missing: readonly string[]
  /** Hosts that have it although their file does not name it. */
  readonly extra: readonly string[]
  /** Hosts with a password other than the known one. */
  readonly another: readonly string[]
  /** Hosts with a level other than the one in the file, by both levels. */
  readonly access: readonly LevelDifference[]
  /** True if hosts have different hashes of a password that is unknown here or was not read. */
  readonly unclear: boolean
  /** Hosts whose file still gives a replaced password. */
  readonly replaced: readonly string[]
}

/** Returns true for a user with a level other than the one in the file. */
export const differsInAccess = ({ access, wantedAccess }: UserOnHost): boolean =>
  access !== undefined && wantedAccess !== undefined && access !== wantedAccess

type LevelDifference = {
  readonly is: AccessLevel
  readonly wanted: AccessLevel
  readonly hosts: readonly string[]
}

const levelDifferences = (
  where: (holds: (is: UserOnHost | undefined) => boolean) => readonly string[],
): readonly LevelDifference[] =>
  accessLevels.flatMap((is) =>
    accessLevels.flatMap((wanted) => {
      if (is === wanted) return []
      const hosts = where((one) => one?.access === is && one.wantedAccess === wanted)
      return hosts.length === 0 ? [] : [{ is, wanted, hosts }]
    }),
  )

/** Returns by user how hosts differ from the file or from each other. Ignores unreachable hosts. */
export function userDifferences(hosts: readonly HostUsers[]): readonly UserDifference[] {
  const seen = hosts.filter(({ state }) => state === 'up')
  const names = [...new Set(seen.flatMap(({ users }) => users.map(({ user }) => user)))]
  return names.flatMap((user) => {
    const on = seen.map(({ host, users }) => ({ host, is: users.find((one) => one.user === user) }))
    const where = (holds: (is: UserOnHost | undefined) => boolean): readonly string[] =>
      on.filter(({ is }) => holds(is)).map(({ host }) => host)
    const unknown = on.flatMap(({ is }) =>
      is?.password === 'unknown' || is?.password === 'unread' ? [is.hash] : [],
    )
    const difference: UserDifference = {
      user,
      missing: where((is) => is?.named === true && !is.present),
      extra: where((is) => is?.named === false),
      another: where((is) => is?.password === 'another'),
      access: levelDifferences(where),
      unclear: new Set(unknown).size > 1,
      replaced: where((is) => is?.replaced !== undefined),
    }
    const { missing, extra, another, access, unclear, replaced } = difference
    const some = [missing, extra, another, access, replaced].some((of) => of.length > 0)
    return some || unclear ? [difference] : []
  })
}

/** Describes the differences, one line per user and kind. */
export const describeDifferences = (differences: readonly UserDifference[]): readonly string[] =>
  differences.flatMap(({ user, missing, extra, another, access, unclear, replaced }) => [
    ...(missing.length > 0 ? [`${user}: missing on ${shortListOf(missing, 8)}`] : []),
    ...(extra.length > 0 ? [`${user}: on ${shortListOf(extra, 8)}, where the file does not name it`] : []),
    ...(another.length > 0 ? [`${user}: a different password on ${shortListOf(another, 8)}`] : []),
    ...access.map(
      ({ is, wanted, hosts }) =>
        `${user}: the access level ${is} instead of ${wanted} on ${shortListOf(hosts, 8)}`,
    ),
    ...(replaced.length > 0 ? [`${user}: the file still has the replaced password`] : []),
    ...(unclear ? [`${user}: the password hashes of the hosts differ, so the passwords may differ`] : []),
  ])
