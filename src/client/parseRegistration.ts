import { isObject, parseJson } from '../base/json.ts'
import { isComponent } from '../contracts/component.ts'
import type { RegisteredCluster, RegisteredHost } from './registry.ts'

/** Reads the text of a cluster record, or says in a few words why it is none. */
export function parseRegistration(text: string): RegisteredCluster | { readonly broken: string } {
  const value = parseJson(text)
  if (value === undefined) return { broken: 'it is not valid JSON' }
  if (!isObject(value)) return { broken: 'it is not a JSON object' }
  if (value.version !== 1) return { broken: 'it is not of version 1, the only one this program knows' }
  const { cluster, directory, authorities, hosts } = value
  if (typeof cluster !== 'string' || typeof directory !== 'string') {
    return { broken: 'it does not name its cluster and directory' }
  }
  if (!Array.isArray(authorities) || !authorities.every((pem) => typeof pem === 'string')) {
    return { broken: 'its authorities are not a list of PEM texts' }
  }
  if (!Array.isArray(hosts)) return { broken: 'it has no list of hosts' }
  const read = hosts.map(readHost).filter((host) => host !== undefined)
  if (read.length < hosts.length) return { broken: 'a host in it is not complete' }
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
