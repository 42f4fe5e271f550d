import { createPrivateKey, X509Certificate } from 'node:crypto'
import { type Authority, authorityProblem } from '../../certificates/authority.ts'
import type { HostStores } from '../../certificates/hostStores.ts'
import { certificatesOf } from '../../certificates/pem.ts'
import { Secret } from '../../secrets/secret.ts'
import { type ClusterState, emptyState, otherAuthority } from './clusterState.ts'
import { decodeSecrets } from './secretsFile.ts'
import { StateError } from './stateError.ts'
import {
  authorityFiles,
  decodeMachines,
  decodeRotation,
  hostFiles,
  hostOf,
  hostsFolder,
  type KnownMachines,
  machinesFile,
  rotationFile,
  type StateFiles,
  secretsFile,
} from './stateFiles.ts'

/**
 * Decodes the state from its files; ignores unknown files. `where` names their folder in errors. Throws `StateError`
 * (`damaged`) for a broken or incomplete part.
 */
export function decodeState(files: StateFiles, where: string): ClusterState {
  const secrets = files.get(secretsFile)
  const kept = secrets === undefined ? { users: new Map() } : decodeSecrets(secrets)
  if (typeof kept === 'string') throw damaged(where, secretsFile, kept)
  const turned = files.get(rotationFile)
  const moving = turned === undefined ? {} : decodeRotation(turned)
  if (typeof moving === 'string') throw damaged(where, rotationFile, moving)
  const authority = decodeAuthority(files, where, otherAuthority(moving.rotation))
  const hosts = decodeHosts(files, where)
  const known = decodeMachinesOnly(files, where)
  return { ...(authority === undefined ? {} : { authority }), hosts, ...kept, ...known, ...moving }
}

/** Decodes only the machines and their folders. Throws `StateError` (`damaged`). */
export function decodeMachinesOnly(files: StateFiles, where: string): KnownMachines {
  const content = files.get(machinesFile)
  const { machines, folders, ways } = emptyState
  if (content === undefined) return { machines, folders, ways }
  const known = decodeMachines(content)
  if (typeof known === 'string') throw damaged(where, machinesFile, known)
  return known
}

/** Decodes the signing authority; `other` is the certificate of one that is also trusted. */
function decodeAuthority(files: StateFiles, where: string, other: string | undefined): Authority | undefined {
  const certificate = files.get(authorityFiles.certificate)
  const key = files.get(authorityFiles.key)
  if (certificate === undefined && key === undefined && other === undefined) return undefined
  if (certificate === undefined)
    throw damaged(where, authorityFiles.certificate, 'is missing, but its key exists')
  if (key === undefined) throw damaged(where, authorityFiles.key, 'is missing, but its certificate exists')
  const trusted = certificate.toString()
  if (other !== undefined && !trusted.endsWith(other)) {
    throw damaged(where, authorityFiles.certificate, `does not end with the authority of ${rotationFile}`)
  }
  const own = other === undefined ? trusted : trusted.slice(0, -other.length)
  const authority = { certificate: own, key: new Secret(key.toString()) }
  const defect = authorityProblem(authority)
  if (defect === undefined) return authority
  const file = defect.startsWith('has a key') ? authorityFiles.key : authorityFiles.certificate
  throw damaged(where, file, `cannot be used: the authority ${defect}`)
}

function decodeHosts(files: StateFiles, where: string): ReadonlyMap<string, HostStores> {
  const folders = [...files.keys()].flatMap((path) => {
    const [top, folder, name] = path.split('/')
    const known = Object.values<string>(hostFiles).includes(name ?? '')
    return top === hostsFolder && folder !== undefined && known ? [folder] : []
  })
  return new Map(
    [...new Set(folders)].flatMap((folder) => {
      const host = hostOf(folder)
      return host === undefined ? [] : [[host, decodeHost(files, `${hostsFolder}/${folder}`, where)] as const]
    }),
  )
}

function decodeHost(files: StateFiles, folder: string, where: string): HostStores {
  const take = (name: string): Buffer => {
    const content = files.get(`${folder}/${name}`)
    if (content === undefined) throw damaged(where, `${folder}/${name}`, 'is missing')
    if (content.length === 0) throw damaged(where, `${folder}/${name}`, 'is empty')
    return content
  }
  const key = new Secret(take(hostFiles.key).toString())
  const chain = take(hostFiles.chain).toString()
  const outside = files.get(`${folder}/${hostFiles.outside}`)?.toString()
  if (outside !== undefined && certificatesOf(outside) === undefined) {
    throw damaged(where, `${folder}/${hostFiles.outside}`, 'contains no certificate')
  }
  const own = outside === undefined ? {} : { outside }
  const stores = {
    ...own,
    keystore: take(hostFiles.keystore),
    truststore: take(hostFiles.truststore),
    key,
    chain,
  }
  if (!isMatchingPair(key, chain)) {
    throw damaged(where, `${folder}/${hostFiles.key}`, `does not match ${hostFiles.chain} in the same folder`)
  }
  return stores
}

/** Cache of keys by their verified chains: a command reads its state several times. */
const keyCache = new Map<string, Secret>()

function isMatchingPair(key: Secret, chain: string): boolean {
  if (keyCache.get(chain)?.equals(key) === true) return true
  try {
    if (!new X509Certificate(chain).checkPrivateKey(createPrivateKey(key.reveal()))) return false
    keyCache.set(chain, key)
    return true
  } catch {
    return false
  }
}

function damaged(where: string, file: string, defect: string): StateError {
  const host = file.startsWith(`${hostsFolder}/`) ? file.split('/').slice(0, 2).join('/') : undefined
  return new StateError({
    code: 'damaged',
    message: `${file} in ${where} ${defect}`,
    fix:
      host === undefined
        ? 'restore the folder from a backup or with `muster state import`; nothing was changed'
        : `restore it from a backup, or delete ${where}/${host}: that host then gets a new certificate`,
  })
}
