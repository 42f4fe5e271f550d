import { isObject, parseJson } from '../../base/json.ts'
import { authorityProblem } from '../../certificates/authority.ts'
import type { HostStores } from '../../certificates/hostStores.ts'
import { certificatesOf } from '../../certificates/pem.ts'
import { Secret } from '../../secrets/secret.ts'
import { type ClusterState, type HostWay, ownAuthorities, type Rotation } from './clusterState.ts'
import { encodeSecrets } from './secretsFile.ts'

type Kept = Pick<ClusterState, 'rotation' | 'retired'>

/**
 * Returns the content of rotation.json: version 1; the phase and its authority during a rotation, and retired
 * authorities.
 */
export function encodeRotation({ rotation, retired = [] }: Kept): Buffer {
  const moving =
    rotation === undefined
      ? {}
      : {
          phase: rotation.phase,
          ...(rotation.phase === 'trust'
            ? {
                certificate: rotation.next.certificate,
                key: rotation.next.key.reveal(),
                ...(rotation.complete === true ? { complete: true } : {}),
              }
            : {}),
          ...(rotation.phase === 'move' ? { certificate: rotation.previous } : {}),
        }
  return Buffer.from(`${JSON.stringify({ version: 1, ...moving, retired }, undefined, 2)}\n`)
}

/** Parses rotation.json; a string describes the problem as the end of a sentence, without any value. */
export function decodeRotation(bytes: Buffer): Kept | string {
  const content = parseJson(bytes.toString('utf8'))
  if (!isObject(content)) return 'is not JSON'
  if (content.version !== 1) return 'has a version that this muster does not support'
  const { phase, retired } = content
  if (!Array.isArray(retired) || !retired.every(isCertificate))
    return 'has no valid list of retired authorities'
  const known = retired.length === 0 ? {} : { retired }
  if (phase === undefined) return known
  const rotation = decodePhase(content)
  return typeof rotation === 'string' ? rotation : { ...known, rotation }
}

function decodePhase(content: Readonly<Record<string, unknown>>): Rotation | string {
  const { phase, certificate, key } = content
  if (phase === 'drop') return { phase }
  if (phase !== 'trust' && phase !== 'move') return 'has a phase that this muster does not support'
  if (!isCertificate(certificate)) return 'has no certificate of the other authority'
  if (phase === 'move') return { phase, previous: certificate }
  if (typeof key !== 'string') return 'has no key of the new authority'
  const next = { certificate, key: new Secret(key) }
  const defect = authorityProblem(next)
  const waits = content.complete === true ? { complete: true as const } : {}
  return defect === undefined ? { phase, next, ...waits } : `cannot be used: the new authority ${defect}`
}

const isCertificate = (value: unknown): value is string =>
  typeof value === 'string' && certificatesOf(value)?.length === 1

/** Content of machines.json, by host name. */
export type KnownMachines = {
  /** Machine-id of the installation. */
  readonly machines: ReadonlyMap<string, string>
  /** Install-directory of the installation. */
  readonly folders: ReadonlyMap<string, string>
  /** Way to the host; none for one that no SSH reaches. */
  readonly ways: ReadonlyMap<string, HostWay>
}

/** Returns the content of machines.json, version 1. */
export function encodeMachines({ machines, folders, ways }: KnownMachines): Buffer {
  const content = {
    version: 1,
    machines: sorted(machines),
    folders: sorted(folders),
    ways: sorted(ways),
  }
  return Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`)
}

const sorted = <Value>(map: ReadonlyMap<string, Value>): Readonly<Record<string, Value>> =>
  Object.fromEntries([...map].sort(([one], [other]) => (one < other ? -1 : 1)))

/** Parses machines.json; a string describes the problem as the end of a sentence. */
export function decodeMachines(bytes: Buffer): KnownMachines | string {
  const content = parseJson(bytes.toString('utf8'))
  if (!isObject(content)) return 'is not JSON'
  if (content.version !== 1) return 'has a version that this muster does not support'
  const { machines, folders, ways } = content
  if (!isObject(machines)) return 'has no machines'
  const ids = textsOf(machines)
  if (ids === undefined) return 'has a host without a machine-id'
  const places = isObject(folders) ? textsOf(folders) : undefined
  if (places === undefined) return 'has a host without a folder'
  const known = isObject(ways) ? Object.entries(ways) : undefined
  if (!known?.every((one): one is [string, HostWay] => isWay(one[1]))) return 'has a host without an address'
  return { machines: ids, folders: places, ways: new Map(known) }
}

const isWay = (way: unknown): way is HostWay =>
  isObject(way) && typeof way.address === 'string' && way.address !== '' && isObject(way.ssh)

/** Undefined if a value is no text, or empty. */
function textsOf(values: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> | undefined {
  const texts = Object.entries(values).flatMap(([host, text]) =>
    typeof text === 'string' && text !== '' ? [[host, text] as const] : [],
  )
  return texts.length < Object.keys(values).length ? undefined : new Map(texts)
}

/** Files of a state by their path below its folder, with `/` as separator. */
export type StateFiles = ReadonlyMap<string, Buffer>

export const authorityFiles = { certificate: 'authority.crt', key: 'authority.key' } as const
export const secretsFile = 'secrets.json'
export const machinesFile = 'machines.json'
export const rotationFile = 'rotation.json'
/** Digest of the secrets that an archive has; no part of a state. */
export const copyMark = 'exported'
export const hostsFolder = 'hosts'
export const hostFiles = {
  keystore: 'keystore.p12',
  truststore: 'truststore.p12',
  key: 'key.pem',
  chain: 'chain.pem',
  outside: 'outside.pem',
} as const

/** Returns true for a file in the folder of a host. */
export function isHostFile(path: string): boolean {
  const [top, folder = ''] = path.split('/')
  return top === hostsFolder && hostOf(folder) !== undefined
}

/** Returns the folder name of a host: its own name, percent-encoded if needed. */
export const folderOf = (host: string): string => encodeURIComponent(host).replace(/^\./, '%2E')

/** Returns the host of a folder; undefined if it is no host's folder. */
export function hostOf(folder: string): string | undefined {
  try {
    const host = decodeURIComponent(folder)
    return host !== '' && folderOf(host) === folder ? host : undefined
  } catch {
    return undefined
  }
}

/** Encodes a state to files; equal states give equal bytes. */
export function encodeState(state: ClusterState): StateFiles {
  const files = new Map<string, Buffer>()
  if (state.authority !== undefined) {
    // With this file curl trusts every certificate that a host may present now.
    files.set(authorityFiles.certificate, Buffer.from(ownAuthorities(state).join('')))
    files.set(authorityFiles.key, Buffer.from(state.authority.key.reveal()))
  }
  for (const [host, stores] of byName(state.hosts)) {
    for (const [name, content] of Object.entries(filesOfHost(stores))) {
      files.set(`${hostsFolder}/${folderOf(host)}/${name}`, content)
    }
  }
  if (state.storePasswords !== undefined || state.users.size > 0) {
    files.set(secretsFile, encodeSecrets(state))
  }
  if (state.machines.size + state.folders.size + state.ways.size > 0)
    files.set(machinesFile, encodeMachines(state))
  if (state.rotation !== undefined || (state.retired ?? []).length > 0) {
    files.set(rotationFile, encodeRotation(state))
  }
  return files
}

/** Returns the contents of a host's folder by file name. */
export const filesOfHost = (stores: HostStores): Readonly<Record<string, Buffer>> => ({
  [hostFiles.keystore]: stores.keystore,
  [hostFiles.truststore]: stores.truststore,
  [hostFiles.key]: Buffer.from(stores.key.reveal()),
  [hostFiles.chain]: Buffer.from(stores.chain),
  ...(stores.outside === undefined ? {} : { [hostFiles.outside]: Buffer.from(stores.outside) }),
})

/** Sorts entries by name. */
const byName = <Value>(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] =>
  [...map].sort(([one], [other]) => (one < other ? -1 : 1))
