import type { Hasher } from '../accounts/passwordHash.ts'
import { createTurns } from '../base/concurrency.ts'
import type { ClusterConfig, HostConfig } from '../config/model.ts'
import type { SecretReference } from '../secrets/reference.ts'
import type { Secret } from '../secrets/secret.ts'
import { decideAdministrators, type GeneratedPassword, type HostLogin } from './desired/administrators.ts'
import type { DatabasePasswords } from './desired/componentSettings.ts'
import {
  ensureAuthority,
  generatedStores,
  isGenerated,
  missingAuthorityKey,
  type ResolvedStores,
  type StorePasswords,
} from './desired/generatedStores.ts'
import { makeTarget } from './desired/target.ts'
import { type TlsNote, tlsNotes, userProvidedStores } from './desired/userProvidedStores.ts'
import type { InstalledFacts } from './facts/hostFacts.ts'
import { failureOf } from './hostFailure.ts'
import { withMachines } from './hostIdentity.ts'
import { userHash } from './installedUsers.ts'
import { installationProblems } from './preflight/checks.ts'
import { pinReleases, upgradeNotes } from './releases/pinReleases.ts'
import { chooseRuntime, type RuntimeFile } from './runtime/chooseRuntime.ts'
import type { OwnNode } from './runtime/ownNode.ts'
import type { ServerProgram } from './serverProgram.ts'
import type { ClusterState } from './state/clusterState.ts'
import { StepError } from './stepError.ts'
import type { SurveyedHost } from './survey.ts'
import type { DesiredUser, Target } from './target.ts'
import { outdatedPasswordFailures } from './users/outdatedPasswords.ts'

/** Resolved secrets of the file; a missing reference was not given. */
export type ResolvedSecrets = ReadonlyMap<SecretReference, Secret>

/** Desired state of each host, and the new content of the state directory; nothing is written yet. */
export type Preparation =
  | {
      readonly ok: true
      readonly targets: readonly Target[]
      readonly state: ClusterState
      readonly generated: readonly GeneratedPassword[]
      readonly notes: readonly string[]
    }
  | { readonly ok: false; readonly problems: readonly StepError[] }

type PrepareOptions = {
  readonly config: ClusterConfig
  /** Hosts of the file that are excluded from the run. */
  readonly excluded?: readonly HostConfig[]
  readonly surveyed: readonly Pick<SurveyedHost, 'host' | 'facts'>[]
  readonly state: ClusterState
  readonly secrets: ResolvedSecrets
  /** Contents of the user's own stores by path. */
  readonly storeFiles: ReadonlyMap<string, Buffer>
  readonly program: ServerProgram
  readonly ownNode: OwnNode
  readonly runtimeFile?: RuntimeFile | undefined
  /** Id or version of an installed release to run instead of muster's own. */
  readonly release?: string | undefined
  readonly now: Date
  readonly random: (size: number) => Buffer
  readonly hash: Hasher
}

/** Checks the facts of all hosts and decides their desired state. Returns all problems of all hosts at once. */
export async function prepare(options: PrepareOptions): Promise<Preparation> {
  const { config, surveyed, secrets, now } = options
  const refused: StepError[] = []
  const missingKeys: StepError[] = []
  const turn = createTurns()
  for (const { host, facts } of surveyed) {
    await turn()
    const { cluster } = config
    refused.push(...installationProblems({ cluster, host, facts }))
    const missing = missingAuthorityKey({ cluster, host, facts, state: options.state, now })
    if (missing !== undefined) missingKeys.push(missing)
  }
  if (refused.length + missingKeys.length > 0) return { ok: false, problems: [...refused, ...missingKeys] }
  const pinned = pinReleases(surveyed, options.release)
  if (pinned.problems.length > 0) return { ok: false, problems: pinned.problems }
  const logins = surveyed.map(({ host, facts }): HostLogin => {
    return { host, facts, given: givenPasswords(host, secrets) }
  })
  const { state, random, hash, excluded = [] } = options
  const replaced = await outdatedPasswordFailures(logins, state, hash)
  if (replaced.length > 0) return { ok: false, problems: replaced }
  const admins = await decideAdministrators({ logins, state, random, excluded, hash })
  const problems: StepError[] = []
  const targets: Target[] = []
  const tls = await tlsOfHosts({ ...options, state: admins.state }, problems)
  for (const { host, facts } of surveyed) {
    await turn()
    const stores = tls.stores.get(host.name)
    const users = admins.users.get(host.name) ?? []
    problems.push(...loginProblems(host, users, facts))
    if (stores === undefined) continue
    await collect(problems, host.name, async () => {
      const { ownNode, runtimeFile: file } = options
      const runtime = pinned.runtimes.get(host.name) ?? chooseRuntime({ host, facts, ownNode, file })
      const { cluster, services } = config
      const passwords = databasePasswords(secrets, host)
      const own = { host, facts, runtime, stores, users, passwords }
      targets.push(makeTarget({ cluster, services, program: options.program, ...own }))
    })
  }
  if (problems.length > 0) return { ok: false, problems }
  const notes = [...tls.notes, ...upgradeNotes(targets)]
  return { ok: true, targets, state: withMachines(tls.state, surveyed), generated: admins.generated, notes }
}

/** Returns the references of all secrets that an installation needs on a host. */
export const secretsOfInstallation = ({ users, tls, database, monitor }: HostConfig): SecretReference[] =>
  [
    ...users.map(({ password }) => password),
    tls.keystorePassword,
    tls.truststorePassword,
    database?.account?.password,
    monitor?.password,
  ].filter((reference) => reference !== undefined)

const secretOf = (secrets: ResolvedSecrets, reference: SecretReference | undefined): Secret | undefined =>
  reference === undefined ? undefined : secrets.get(reference)

async function tlsOfHosts(
  options: PrepareOptions,
  problems: StepError[],
): Promise<{
  readonly stores: ReadonlyMap<string, ResolvedStores>
  readonly state: ClusterState
  readonly notes: readonly string[]
}> {
  const { config, surveyed, secrets, now } = options
  const stores = new Map<string, ResolvedStores>()
  const generates = surveyed.some(({ host }) => isGenerated(host))
  const authority = generates
    ? await ensureAuthority({ cluster: config.cluster, state: options.state, now })
    : undefined
  // A subset of the hosts cannot show whether an authority without its key exists.
  const subsetNote =
    (options.excluded ?? []).length > 0 ? ', because none of the selected hosts is installed' : ''
  const notes = (authority?.notes ?? []).map((note) => `${note}${subsetNote}`)
  const storeNotes: TlsNote[] = []
  let state = authority?.state ?? options.state
  const turn = createTurns()
  for (const { host, facts } of surveyed) {
    await turn()
    await collect(problems, host.name, async () => {
      const given = storePasswords(secrets, host)
      if (authority === undefined || !isGenerated(host)) {
        const own = userProvidedStores({ host, facts, given, files: options.storeFiles, now })
        stores.set(host.name, own.stores)
        storeNotes.push(...own.warnings.map((warning) => ({ host: host.name, warning })))
        return
      }
      const made = await generatedStores({ host, facts, state, authority: authority.authority, given, now })
      state = made.state
      stores.set(host.name, made.stores)
      if (made.issued !== undefined) storeNotes.push({ host: host.name, issued: made.issued })
    })
  }
  return { stores, state, notes: [...notes, ...tlsNotes(storeNotes)] }
}

/** Returns the store passwords from the host's file. */
export function storePasswords(secrets: ResolvedSecrets, host: HostConfig): StorePasswords {
  const keystore = secretOf(secrets, host.tls.keystorePassword)
  const truststore = secretOf(secrets, host.tls.truststorePassword)
  return { ...(keystore && { keystore }), ...(truststore && { truststore }) }
}

export function databasePasswords(secrets: ResolvedSecrets, host: HostConfig): DatabasePasswords {
  const replication = secretOf(secrets, host.database?.account?.password)
  const monitor = secretOf(secrets, host.monitor?.password)
  return { ...(replication && { replication }), ...(monitor && { monitor }) }
}

/** By host and user, the passwords that the files give. */
export type GivenPasswords = ReadonlyMap<string, ReadonlyMap<string, Secret>>

/** Returns the passwords of a host's file by user. */
export const givenPasswords = (host: HostConfig, secrets: ResolvedSecrets): ReadonlyMap<string, Secret> =>
  new Map(
    host.users.flatMap(({ user, password }) => {
      const given = secretOf(secrets, password)
      return given === undefined ? [] : [[user, given] as const]
    }),
  )

/** Reports users that a host must get but whose password is unknown. */
export const loginProblems = (
  host: HostConfig,
  users: readonly DesiredUser[],
  { installation }: InstalledFacts,
): readonly StepError[] =>
  users
    .filter(({ user, hash }) => hash === undefined && userHash(installation.users, user) === undefined)
    .map(({ user }) => {
      const option = host.users.find((one) => one.user === user)?.option
      return new StepError({
        host: host.name,
        code: 'password-needed',
        message: `the user ${user} exists on other hosts, but its password is unknown here`,
        fix: `Set ${option}: this host must get the same password as the others.`,
      })
    })

/** Collects a failure of one host, so that the other hosts are checked too. */
async function collect(problems: StepError[], host: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof StepError) problems.push(error)
    else problems.push(new StepError({ host, ...failureOf(error), cause: error }))
  }
}
