import { isObject } from '../../base/json.ts'
import { sha256 } from '../../base/sha256.ts'
import type { ClusterConfig, HostConfig } from '../../config/model.ts'
import type { HostFacts } from '../facts/model.ts'

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
export function factsDigest(facts: HostFacts): string {
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
