import { type Hasher, hasherOf, verifyPassword } from '../../accounts/passwordHash.ts'
import type { CommandContext } from '../../cli/context.ts'
import { Interrupted } from '../../cli/interrupted.ts'
import type { HostConfig } from '../../config/model.ts'
import type { InstalledFacts } from '../../deployment/facts/hostFacts.ts'
import { failureOf, isUnreachable } from '../../deployment/hostFailure.ts'
import { startHashing } from '../../deployment/installedUsers.ts'
import { mapHosts } from '../../deployment/mapHosts.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { closeAll, installedFactsOnly, type Survey, type SurveyedHost } from '../../deployment/survey.ts'
import { type ComparePassword, type HostUsers, hostUsers } from '../../deployment/users/hostUsers.ts'
import { type OutdatedPassword, outdatedPasswords } from '../../deployment/users/outdatedPasswords.ts'
import type { Secret } from '../../secrets/secret.ts'
import { prepareConnections } from '../../session/connectHost.ts'
import type { SelectedCluster } from '../../session/selectTargets.ts'
import { inOrderOf, surveyReadOnly, withShortTimeout } from '../../session/surveyReadOnly.ts'

/**
 * Returns the current users of all hosts, in the order of the file. Changes nothing. An unreachable host is included
 * and does not delay the others.
 */
export async function surveyUsers(
  context: CommandContext,
  config: SelectedCluster,
  /** Passwords that the file gives, to compare and log in with; without them no secret is read for it. */
  read?: ReadonlyMap<string, ReadonlyMap<string, Secret>>,
): Promise<readonly HostUsers[]> {
  const given = read ?? writtenOut(config)
  const hash = hasherOf(context.env)
  await prepareConnections(context, withShortTimeout(config).hosts)
  const { state, survey } = await surveyReadOnly(context, config, installedFactsOnly, (known) =>
    startHashing(hash, given, known),
  )
  const looked = await inspectUsers(survey, {
    config,
    state,
    given,
    hash,
    logins: read !== undefined,
    forks: context.forks,
  }).finally(() => closeAll(survey))
  if (context.signal.aborted) throw new Interrupted()
  const unreachable = survey.unreachable.map(
    ({ host, failure, unreachable }): HostUsers =>
      notSeen(host, unreachable ? 'unreachable' : 'failed', failure.message),
  )
  return inOrderOf(config, [...looked, ...unreachable], ({ host }) => host)
}

/** Reads the users of the hosts that were reached. Changes nothing. */
export async function inspectUsers(
  { reached }: Pick<Survey<InstalledFacts>, 'reached'>,
  options: {
    readonly config: SelectedCluster
    readonly state: ClusterState
    /** Passwords of the file, by host and user. */
    readonly given: ReadonlyMap<string, ReadonlyMap<string, Secret>>
    readonly hash: Hasher
    /** Logs in with the known passwords, too. */
    readonly logins: boolean
    readonly forks: number | undefined
  },
): Promise<readonly HostUsers[]> {
  const { config, state, given, hash, logins, forks } = options
  const hosts = config.hosts.map((host) => ({ host, given: given.get(host.name) ?? new Map() }))
  const replaced = await outdatedPasswords(hosts, state, hash)
  const verify = cachedVerifier(hash)
  const looked = await mapHosts({
    items: reached,
    forks,
    map: (surveyed) => {
      const old = replaced.filter(({ host }) => host === surveyed.host.name)
      const known = knownPasswords(surveyed.host, { given: given.get(surveyed.host.name), state, old })
      const unread = namesGiven(surveyed.host).filter((user) => !given.get(surveyed.host.name)?.has(user))
      const compare = passwordChecker(known, { unread, state, verify })
      return inspectHost(surveyed, () =>
        hostUsers({ surveyed, cluster: config.cluster, state, compare, known, logins }),
      )
    },
  })
  return looked.map((one) => withReplaced(one, replaced))
}

/** By host and user, the passwords that stand in the file itself. */
const writtenOut = ({ hosts }: SelectedCluster): ReadonlyMap<string, ReadonlyMap<string, Secret>> =>
  new Map(
    hosts.map(({ name, users }) => [
      name,
      new Map(
        users.flatMap(({ user, password }) =>
          password?.kind === 'literal' ? [[user, password.value] as const] : [],
        ),
      ),
    ]),
  )

const namesGiven = ({ users }: HostConfig): readonly string[] =>
  users.filter(({ password }) => password !== undefined).map(({ user }) => user)

async function inspectHost(
  { host }: SurveyedHost<InstalledFacts>,
  work: () => Promise<HostUsers>,
): Promise<HostUsers> {
  try {
    return await work()
  } catch (error) {
    return notSeen(host, isUnreachable(error) ? 'unreachable' : 'failed', failureOf(error).message)
  }
}

const notSeen = (host: HostConfig, state: 'unreachable' | 'failed', detail: string): HostUsers => ({
  host: host.name,
  state,
  detail,
  users: [],
  components: [],
})

const withReplaced = ({ users, ...of }: HostUsers, replaced: readonly OutdatedPassword[]): HostUsers => ({
  ...of,
  users: users.map((one) => {
    const found = replaced.find(({ host, user }) => host === of.host && user === one.user)
    return found === undefined ? one : { ...one, replaced: found.date }
  }),
})

/**
 * The file's passwords, else the kept ones; kept ones also where the file gives one that was
 * replaced, and of users whom it does not name any more.
 */
function knownPasswords(
  host: HostConfig,
  {
    given,
    state,
    old,
  }: {
    readonly given: ReadonlyMap<string, Secret> | undefined
    readonly state: ClusterState
    readonly old: readonly OutdatedPassword[]
  },
): ReadonlyMap<string, Secret> {
  const kept = [...state.users].flatMap(([user, { password }]) =>
    password === undefined ? [] : [[user, password] as const],
  )
  const named = host.users.flatMap(({ user }) => {
    const password = given?.get(user)
    const isOld = old.some((one) => one.user === user)
    return password === undefined || isOld ? [] : [[user, password] as const]
  })
  return new Map([...kept, ...named])
}

/** Compares by our own salt first: then one scrypt serves for all hosts. */
function passwordChecker(
  known: ReadonlyMap<string, Secret>,
  {
    unread,
    state,
    verify,
  }: {
    readonly unread: readonly string[]
    readonly state: ClusterState
    readonly verify: ReturnType<typeof cachedVerifier>
  },
): ComparePassword {
  return async (user, hash) => {
    if (unread.includes(user)) return 'unread'
    const password = known.get(user)
    if (password === undefined) return 'unknown'
    return (await verify({ password, hash, salt: state.users.get(user)?.salt })) ? 'known' : 'another'
  }
}

/** Verifies a password against a hash, each pair once. */
function cachedVerifier(
  hash: Hasher,
): (pair: {
  readonly password: Secret
  readonly hash: string
  readonly salt: Buffer | undefined
}) => Promise<boolean> {
  const done: { readonly password: Secret; readonly hash: string; readonly holds: Promise<boolean> }[] = []
  return ({ password, hash: installed, salt }) => {
    const before = done.find((one) => one.hash === installed && one.password.equals(password))
    if (before !== undefined) return before.holds
    const compare = async (): Promise<boolean> =>
      (salt !== undefined && (await hash(password, salt)) === installed) ||
      verifyPassword(password, installed)
    const holds = compare()
    done.push({ password, hash: installed, holds })
    return holds
  }
}
