import { createHasher, passwordMark, saltBytes } from '../../accounts/passwordHash.ts'
import type { ScryptCost } from '../../accounts/phc.ts'
import { isObject } from '../../base/json.ts'
import { sha256 } from '../../base/sha256.ts'
import type { HostStores } from '../../certificates/hostStores.ts'
import type { ClusterConfig, HostConfig } from '../../config/model.ts'
import type { SecretReference } from '../../secrets/reference.ts'
import { belowRoot, fileDifference } from '../desiredFile.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import type { HostPlan } from '../hostPlan.ts'
import type { ResolvedSecrets } from '../prepare.ts'
import type { ClusterState } from '../state/clusterState.ts'
import type { DesiredFile, Target } from '../target.ts'
import { madeAtInstall, type SavedHost, type SavedPlan } from './savedPlan.ts'

/**
 * Marks by host and option, by which a changed secret is noticed later; one change in 4096 goes unnoticed. The salt is
 * the cluster's name, so that many plans tell no more than one.
 */
export async function secretMarks(options: {
  readonly cluster: string
  readonly hosts: readonly HostConfig[]
  readonly secrets: ResolvedSecrets
  /** Lower only in tests. */
  readonly cost?: ScryptCost
}): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const { cluster, hosts, secrets, cost } = options
  const salt = Buffer.from(sha256(`muster plan of ${cluster}`), 'hex').subarray(0, saltBytes)
  const hash = createHasher(cost)
  const marks = new Map<string, Readonly<Record<string, string>>>()
  for (const host of hosts) {
    const own: Record<string, string> = {}
    for (const [option, reference] of secretsOf(host)) {
      const secret = reference && secrets.get(reference)
      if (secret !== undefined) own[option] = await passwordMark(hash, secret, salt)
    }
    marks.set(host.name, own)
  }
  return marks
}

const secretsOf = (host: HostConfig): readonly (readonly [string, SecretReference | undefined])[] => [
  ...host.users.map(({ option, password }) => [option, password] as const),
  ['java-keystore-password', host.tls.keystorePassword],
  ['java-truststore-password', host.tls.truststorePassword],
  ['replication-password', host.database?.account?.password],
  ['monitor-password', host.monitor?.password],
]

const ofSecrets = new Set<unknown>(['literal', 'env', 'file', 'exec'])

/**
 * Digest of what a file gives a host. Neither how the host is reached is in it, nor of secrets more than that
 * they are given; paths below the file's folder are the same wherever that folder lies.
 */
export function configurationDigest(config: Pick<ClusterConfig, 'directory'>, host: HostConfig): string {
  const { ssh: _, via: __, ...given } = host
  const below = `${config.directory}/`
  const text = JSON.stringify(given, (_key, value: unknown) => {
    if (isObject(value) && ofSecrets.has(value.kind)) return 'given'
    return typeof value === 'string' && value.startsWith(below) ? `./${value.slice(below.length)}` : value
  })
  return sha256(text)
}

export const servicesDigest = ({ services }: Pick<ClusterConfig, 'services'>): string =>
  sha256(JSON.stringify(services))

/**
 * Digest of what a host is like, as far as plans are judged on it; free space, listeners and process ids change
 * by themselves. The user file has a random salt, so nothing can be found out by trying.
 */
function factsDigest(facts: HostFacts): string {
  const { listeners: _, hostStores, services, installation, ...host } = facts
  const { freeBytes: __, users, ...installed } = installation
  const seen = {
    ...host,
    addresses: [...host.addresses].sort(),
    hostStores: [...hostStores].map(([path, content]) => [path, sha256(content)]),
    services: [...services].map(([component, { state, enabled }]) => [component, state, enabled]),
    installation: installed,
    users: users?.reveal(),
  }
  return sha256(
    JSON.stringify(seen, (_key, value: unknown) => (value instanceof Map ? sorted(value) : value)),
  )
}

const sorted = (map: ReadonlyMap<unknown, unknown>): readonly (readonly [unknown, unknown])[] =>
  [...map].sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))

/** What was planned for some hosts, as it is kept and compared; without any secret. */
export function savedPlanOf(options: {
  readonly config: ClusterConfig & { readonly excluded: readonly HostConfig[] }
  readonly planned: readonly { readonly target: Target; readonly plan: HostPlan }[]
  /** The state directory as it is: what it has not yet is made at install. */
  readonly state: ClusterState
  /** By host, of `secretMarks`. */
  readonly marks: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** Version of muster. */
  readonly version: string
  /** Of --release. */
  readonly release?: string | undefined
  readonly now: Date
}): SavedPlan {
  const { config, planned, state, marks, version, release, now } = options
  return {
    cluster: config.cluster,
    saved: now.toISOString(),
    muster: version,
    ...(release === undefined ? {} : { release }),
    services: servicesDigest(config),
    left: config.excluded.map(({ name }) => name),
    hosts: planned.map(({ target, plan }): SavedHost => {
      const { host, facts } = target
      return {
        host: host.name,
        address: host.address,
        machine: sha256(facts.machineId),
        facts: factsDigest(facts),
        configuration: configurationDigest(config, host),
        secrets: marks.get(host.name) ?? {},
        files: filesOf(target, state.hosts.get(host.name)),
        steps: plan.steps.map(({ step, change: { summary, details } }) => ({
          id: step.id,
          phase: step.phase,
          summary,
          details,
        })),
      }
    }),
  }
}

/** Digests of the files that would be written. The one with passwords is left out: marks tell of these. */
function filesOf(target: Target, kept: HostStores | undefined): SavedHost['files'] {
  const { layout, facts, components, tls, host } = target
  const ours = host.tls.keystorePath === undefined && host.tls.truststorePath === undefined
  const known = new Set(kept === undefined ? [] : digestsOf(kept))
  const isMade = (file: DesiredFile): boolean =>
    ours && file.path.startsWith(`${layout.tls}/`) && !known.has(file.sha256)
  const files = [
    ...tls.filter(({ path }) => path !== layout.secretsFile),
    ...components.flatMap(({ settingsFile, unitFile }) => [settingsFile, ...(unitFile ? [unitFile] : [])]),
  ]
  return Object.fromEntries(
    files
      .filter((file) => fileDifference(facts, file, layout.root) !== undefined)
      .map((file) => [belowRoot(file.path, layout.root), isMade(file) ? madeAtInstall : file.sha256]),
  )
}

const digestsOf = ({ keystore, truststore, key, chain }: HostStores): readonly string[] =>
  [keystore, truststore, key.reveal(), chain].map(sha256)
