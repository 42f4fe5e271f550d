import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { isObject, parseJson } from '../base/json.ts'
import { sha256 } from '../base/sha256.ts'
import { type Component, isComponent } from '../contracts/component.ts'

/**
 * Returns the folder of the cluster records: `muster/clusters` in the user's configuration folder. Ignores a
 * relative XDG_CONFIG_HOME, as the XDG Base Directory Specification requires. `home` is used without a HOME
 * variable.
 */
export function registryDirectory(env: Readonly<Record<string, string | undefined>>, home = '/'): string {
  const configured = env.XDG_CONFIG_HOME
  if (configured !== undefined && isAbsolute(configured)) return join(configured, 'muster', 'clusters')
  return join(env.HOME || home, '.config', 'muster', 'clusters')
}

/** Host record for tapi. */
export type RegisteredHost = {
  readonly name: string
  readonly address: string
  /** Listening addresses of the enabled APIs. */
  readonly apis: readonly { readonly component: Component; readonly address: string; readonly port: number }[]
}

/** Cluster record that install writes to the user's configuration folder; no secrets. */
export type RegisteredCluster = {
  readonly version: 1
  readonly cluster: string
  /** Folder of the YAML file, which tells apart clusters of the same name. */
  readonly directory: string
  /** PEM certificates of the authorities that sign the hosts' certificates. */
  readonly authorities: readonly string[]
  readonly hosts: readonly RegisteredHost[]
}

/**
 * Reads all cluster records, in the order of their file names; empty without the folder. Skips an invalid file
 * after a one-sentence `warn` that names it.
 */
export async function readRegistry(
  dir: string,
  warn: (warning: string) => void = () => {},
): Promise<RegisteredCluster[]> {
  const names = await readdir(dir).catch(emptyIfMissing)
  const clusters: RegisteredCluster[] = []
  for (const name of names.filter((file) => file.endsWith('.json')).sort()) {
    const file = join(dir, name)
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => error)
    const record =
      typeof text === 'string' ? parseRegistration(text) : { problem: `it cannot be read: ${text.code}` }
    if ('problem' in record) {
      warn(`The cluster record ${file} is skipped: ${record.problem}. Run \`muster status\` to replace it.`)
    } else {
      clusters.push(record)
    }
  }
  return clusters
}

/** Returns the record of the cluster in this folder; undefined if there is none. */
export async function findClusterRecord(place: {
  readonly dir: string
  readonly cluster: string
  readonly directory: string
}): Promise<RegisteredCluster | undefined> {
  const { dir, cluster, directory } = place
  return (await readRegistry(dir)).find((one) => one.cluster === cluster && one.directory === directory)
}

/**
 * Writes a cluster record, replacing the one of the same name and folder: file 0600 in a folder 0700, as one
 * atomic change. `changed` is false, and nothing is written, if the record is equal.
 */
export async function writeClusterRecord(record: {
  readonly dir: string
  readonly cluster: RegisteredCluster
}): Promise<{ readonly file: string; readonly changed: boolean }> {
  const { dir, cluster } = record
  const file = join(dir, fileName(cluster))
  const content = `${JSON.stringify(cluster, null, 2)}\n`
  const current = await readFile(file, 'utf8').catch(undefinedIfMissing)
  if (current === content) return { file, changed: false }
  await removeFromOtherRecords(record)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  await chmod(dir, 0o700)
  const temporary = join(dir, `.${randomUUID()}.tmp`)
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return { file, changed: true }
}

/**
 * Removes the hosts of a cluster from other records with the same listening addresses: it is the same
 * installation.
 */
async function removeFromOtherRecords(record: {
  readonly dir: string
  readonly cluster: RegisteredCluster
}): Promise<void> {
  const { dir, cluster } = record
  const isReplaced = (host: RegisteredHost): boolean =>
    cluster.hosts.some(
      ({ name, address, apis }) =>
        name === host.name &&
        address === host.address &&
        apis.some(({ port }) => host.apis.some((api) => api.port === port)),
    )
  for (const other of await readRegistry(dir)) {
    if (fileName(other) === fileName(cluster)) continue
    const hosts = other.hosts.filter(isReplaced).map(({ name }) => name)
    if (hosts.length > 0) await removeHosts({ dir, ...other, hosts })
  }
}

/** Removes the records of clusters whose folder no longer exists, and returns them. */
export async function removeAbandonedClusters(dir: string): Promise<RegisteredCluster[]> {
  const gone: RegisteredCluster[] = []
  for (const cluster of await readRegistry(dir)) {
    const there = await stat(cluster.directory).catch(undefinedIfMissing)
    if (there === undefined && (await removeCluster({ dir, ...cluster }).catch(() => false)))
      gone.push(cluster)
  }
  return gone
}

/** Removes hosts from the record of a cluster, if it exists; a record without hosts is deleted. */
export async function removeHosts(record: {
  readonly dir: string
  readonly cluster: string
  readonly directory: string
  readonly hosts: readonly string[]
}): Promise<void> {
  const { dir, hosts } = record
  const found = await findClusterRecord(record)
  if (found === undefined) return
  const remaining = found.hosts.filter(({ name }) => !hosts.includes(name))
  if (remaining.length === 0) await removeCluster(record)
  else await writeClusterRecord({ dir, cluster: { ...found, hosts: remaining } })
}

/** Deletes the record of a cluster; false if there was none. */
export async function removeCluster(record: {
  readonly dir: string
  readonly cluster: string
  readonly directory: string
}): Promise<boolean> {
  const removed = await rm(join(record.dir, fileName(record))).then(
    () => true,
    (error: NodeJS.ErrnoException) => undefinedIfMissing(error),
  )
  return removed ?? false
}

/** Makes a readable name that differs for clusters of one name in two folders. */
function fileName({ cluster, directory }: { readonly cluster: string; readonly directory: string }): string {
  const word = cluster
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^\.+/, '')
    .slice(0, 60)
  const hash = sha256(JSON.stringify([cluster, directory])).slice(0, 12)
  return `${word}-${hash}.json`
}

const isMissing = (error: NodeJS.ErrnoException): boolean =>
  error.code === 'ENOENT' || error.code === 'ENOTDIR'

function emptyIfMissing(error: NodeJS.ErrnoException): string[] {
  if (isMissing(error)) return []
  throw error
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (isMissing(error)) return undefined
  throw error
}

/** Parses a cluster record, or explains in a few words why it is invalid. */
export function parseRegistration(text: string): RegisteredCluster | { readonly problem: string } {
  const value = parseJson(text)
  if (value === undefined) return { problem: 'it is not valid JSON' }
  if (!isObject(value)) return { problem: 'it is not a JSON object' }
  if (value.version !== 1) return { problem: 'its version is not 1, the only supported one' }
  const { cluster, directory, authorities, hosts } = value
  if (typeof cluster !== 'string' || typeof directory !== 'string') {
    return { problem: 'it does not name its cluster and directory' }
  }
  if (!Array.isArray(authorities) || !authorities.every((pem) => typeof pem === 'string')) {
    return { problem: 'its authorities are not a list of PEM texts' }
  }
  if (!Array.isArray(hosts)) return { problem: 'it has no list of hosts' }
  const read = hosts.map(readHost).filter((host) => host !== undefined)
  if (read.length < hosts.length) return { problem: 'one of its hosts is not complete' }
  return { version: 1, cluster, directory, authorities, hosts: read }
}

function readHost(value: unknown): RegisteredHost | undefined {
  if (!isObject(value) || !Array.isArray(value.apis)) return undefined
  const { name, address } = value
  if (typeof name !== 'string' || typeof address !== 'string') return undefined
  const apis = value.apis.map(readApi).filter((api) => api !== undefined)
  return apis.length === value.apis.length ? { name, address, apis } : undefined
}

function readApi(value: unknown): RegisteredHost['apis'][number] | undefined {
  if (!isObject(value)) return undefined
  const { component, address, port } = value
  if (typeof component !== 'string' || !isComponent(component)) return undefined
  if (typeof address !== 'string' || typeof port !== 'number') return undefined
  return { component, address, port }
}
