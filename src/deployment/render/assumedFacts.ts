import { isAddress, isWildcard } from '../../base/address.ts'
import type { HostConfig } from '../../config/model.ts'
import { listenersOf } from '../desired/componentSettings.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import type { Architecture } from '../runtime/pinnedRuntime.ts'

const machines: Readonly<Record<Architecture, string>> = { x64: 'x86_64', arm64: 'aarch64' }

/**
 * Returns the facts that a host is assumed to have until somebody sees it: an empty Linux with systemd, root as the
 * login, no Node.js of its own, and the name and the addresses of the file. Its machine-id is unknown.
 */
export function assumedFacts(host: HostConfig, architecture: Architecture): HostFacts {
  const listening = host.apis.flatMap((api) => listenersOf(host, api)).map(({ address }) => address)
  const addresses = [host.address, ...listening].filter((one) => isAddress(one) && !isWildcard(one))
  return {
    host: host.name,
    hostname: host.name,
    machineId: '',
    uid: 0,
    kernel: 'Linux',
    machine: machines[architecture],
    os: '',
    login: 'root',
    group: 'root',
    systemd: host.serviceManager !== 'process',
    addresses: [...new Set(addresses)],
    installation: {
      exists: false,
      leftCopy: false,
      writable: true,
      freeBytes: Number.POSITIVE_INFINITY,
      noexec: false,
      settings: new Map(),
      units: new Map(),
      applied: new Map(),
      releases: [],
      runtimes: [],
      directories: new Map(),
      files: new Map(),
    },
    services: new Map(),
    listeners: [],
    hostStores: new Map(),
  }
}

/**
 * Returns the configuration with which a host is rendered: muster sends the runtime, because the Node.js of a host
 * that nobody has seen is unknown.
 */
export const renderedConfig = (host: HostConfig): HostConfig => ({
  ...host,
  connection: 'ssh',
  runtime: 'upload',
})
