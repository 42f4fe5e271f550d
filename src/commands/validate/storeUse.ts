import type { StoreFile } from '../../certificates/checkStores.ts'
import { type RegularFile, readRegularFile } from '../../cli/readRegularFile.ts'
import { absolutePath, isOnHost } from '../../config/paths.ts'
import type { ResolvedCluster, ResolvedHost } from '../../config/resolve/resolved.ts'
import { options } from '../../config/settings/options.ts'
import type { Given } from '../../config/settings/setting.ts'
import { isBelow, type SecretPolicy } from '../../secrets/policy.ts'
import type { Secret } from '../../secrets/secret.ts'
import { largestStore } from '../../session/readUserProvidedStores.ts'
import type { SecretReadings } from '../../session/secretFindings.ts'

/** The options of each kind of store. */
const storeOptions = {
  keystore: { path: options.keystorePath, password: options.keystorePassword },
  truststore: { path: options.truststorePath, password: options.truststorePassword },
} as const

export type StoreKind = keyof typeof storeOptions

/** A store of this machine as one host uses it. */
export type StoreUse = {
  /** Place of the path in the file. */
  readonly path: Given
  readonly file: RegularFile
  /** Password; absent if it is unknown. */
  readonly password?: { readonly given: Given; readonly secret: Secret }
}

/** Absolute path of a host's own store on this machine; undefined when it has none here. */
function storePath(host: ResolvedHost, kind: StoreKind, cluster: ResolvedCluster): string | undefined {
  const { value, given } = host.option(storeOptions[kind].path)
  // A host that runs nothing gets no store.
  if (value === undefined || given === undefined || isOnHost(value) || host.components.length === 0) {
    return undefined
  }
  return absolutePath(value, { span: given.span, paths: cluster.paths })
}

/** Returns undefined for a host without such a store on this machine. */
export function storeUse(
  host: ResolvedHost,
  kind: StoreKind,
  known: {
    readonly cluster: ResolvedCluster
    readonly readings: SecretReadings
    /** By absolute path. */
    readonly files: ReadonlyMap<string, RegularFile>
  },
): StoreUse | undefined {
  const path = host.option(storeOptions[kind].path).given
  const absolute = storePath(host, kind, known.cluster)
  const file = absolute === undefined ? undefined : known.files.get(absolute)
  if (path === undefined || file === undefined) return undefined
  const { given } = host.option(storeOptions[kind].password)
  const reading = given === undefined ? undefined : known.readings.get(given)
  if (given === undefined || reading === undefined || 'failure' in reading) return { path, file }
  return { path, file, password: { given, secret: reading.secret } }
}

/** The store's bytes and password, where both could be read. */
export const lockedStore = (use: StoreUse | undefined): StoreFile | undefined =>
  use?.file.ok === true && use.password !== undefined
    ? { bytes: use.file.content, password: use.password.secret }
    : undefined

/**
 * Reads every store of this machine that a host uses once, by absolute path. With the policy `safe` only those below
 * a folder of the YAML files.
 */
export async function readStores(
  cluster: ResolvedCluster,
  policy: SecretPolicy,
): Promise<ReadonlyMap<string, RegularFile>> {
  const { directories, fallback } = cluster.paths
  const folders = directories.size === 0 ? [fallback] : [...directories.values()]
  const paths = cluster.hosts.flatMap((host) =>
    (['keystore', 'truststore'] as const).flatMap((kind) => storePath(host, kind, cluster) ?? []),
  )
  const files = new Map<string, RegularFile>()
  for (const path of new Set(paths)) {
    const below = folders.find((folder) => isBelow(path, folder)) ?? fallback
    files.set(
      path,
      await readRegularFile(path, { maxBytes: largestStore, ...(policy === 'safe' ? { below } : {}) }),
    )
  }
  return files
}
