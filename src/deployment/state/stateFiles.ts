import type { HostStores } from '../../certificates/hostStores.ts'
import { type ClusterState, ownAuthorities } from './clusterState.ts'
import { encodeMachines } from './machinesFile.ts'
import { encodeRotation } from './rotationFile.ts'
import { encodeSecrets } from './secretsFile.ts'

/** The files of a state by their path below its folder, `/` between the parts. */
export type StateFiles = ReadonlyMap<string, Buffer>

export const authorityFiles = { certificate: 'authority.crt', key: 'authority.key' } as const
export const secretsFile = 'secrets.json'
export const machinesFile = 'machines.json'
export const rotationFile = 'rotation.json'
export const hostsFolder = 'hosts'
export const hostFiles = {
  keystore: 'keystore.p12',
  truststore: 'truststore.p12',
  key: 'key.pem',
  chain: 'chain.pem',
  outside: 'outside.pem',
} as const

/** Whether a path is of the file that marks a host's certificate as one of an outside authority. */
export const isOutsideMark = (path: string): boolean =>
  path.startsWith(`${hostsFolder}/`) && path.endsWith(`/${hostFiles.outside}`)

/** A host's folder name: its own name, percent-encoded where a file name could not be so. */
export const folderOf = (host: string): string => encodeURIComponent(host).replace(/^\./, '%2E')

/** The host that a folder is for; undefined when no host's folder is called so. */
export function hostOf(folder: string): string | undefined {
  try {
    const host = decodeURIComponent(folder)
    return host !== '' && folderOf(host) === folder ? host : undefined
  } catch {
    return undefined
  }
}

/** The files that a state is kept in; equal states give equal bytes. */
export function encodeState(state: ClusterState): StateFiles {
  const files = new Map<string, Buffer>()
  if (state.authority !== undefined) {
    // Who gives this file to curl trusts whatever a host may show at this moment.
    files.set(authorityFiles.certificate, Buffer.from(ownAuthorities(state).join('')))
    files.set(authorityFiles.key, Buffer.from(state.authority.key.reveal()))
  }
  for (const [host, stores] of byName(state.hosts)) {
    for (const [name, content] of Object.entries(filesOf(stores))) {
      files.set(`${hostsFolder}/${folderOf(host)}/${name}`, content)
    }
  }
  if (state.storePasswords !== undefined || state.users.size > 0) {
    files.set(secretsFile, encodeSecrets(state))
  }
  if (state.machines.size + state.folders.size > 0) files.set(machinesFile, encodeMachines(state))
  if (state.rotation !== undefined || (state.retired ?? []).length > 0) {
    files.set(rotationFile, encodeRotation(state))
  }
  return files
}

const filesOf = (stores: HostStores): Readonly<Record<string, Buffer>> => ({
  [hostFiles.keystore]: stores.keystore,
  [hostFiles.truststore]: stores.truststore,
  [hostFiles.key]: Buffer.from(stores.key.reveal()),
  [hostFiles.chain]: Buffer.from(stores.chain),
  ...(stores.outside === undefined ? {} : { [hostFiles.outside]: Buffer.from(stores.outside) }),
})

/** Entries in the order of their names, whatever order they came in. */
export const byName = <Value>(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] =>
  [...map].sort(([one], [other]) => (one < other ? -1 : 1))
