import type { HostConfig } from '../../src/config/model.ts'
import type { HostFacts, InstallationFacts } from '../../src/deployment/facts/hostFacts.ts'
import { layoutOf } from '../../src/deployment/layout.ts'
import { serviceData } from '../../src/deployment/services/implementations.ts'
import type { ServiceSet } from '../../src/deployment/services/serviceManager.ts'
import { proxySettings } from './proxySettings.ts'

/** A host as a file could give it: all three components on loopback. */
export function hostConfig(changes: Partial<HostConfig> = {}): HostConfig {
  return {
    name: 'db1',
    address: '10.0.0.11',
    connection: 'ssh',
    ssh: { port: 22, transport: 'builtin', become: false, timeout: 10_000 },
    services: ['alpha'],
    apis: [
      { component: 'manager', enabled: true, address: '127.0.0.1', port: 8090 },
      { component: 'connector', enabled: true, address: '127.0.0.1', port: 8096 },
      { component: 'replicator', enabled: true, address: '127.0.0.1', port: 8097 },
    ],
    users: [{ user: 'admin', option: 'rest-api-admin-pass', access: 'full' }],
    member: { service: 'alpha', datasource: null, witness: false },
    tls: { alias: 'tls', keyType: 'ec', keyLifetime: 365, warningDays: 30 },
    remoteBootstrap: false,
    allowedHosts: [],
    installDirectory: '/opt/muster',
    serviceManager: 'auto',
    runtime: 'auto',
    logLevel: 'info',
    limits: { memoryMax: 1024, cpuWeight: 50, tasksMax: 64, oomScoreAdjust: 300 },
    ...changes,
  }
}

/** A proxy of service alpha with both of its ports. */
export const proxy: NonNullable<HostConfig['proxy']> = { ...proxySettings, readonlyPort: 9998 }

/** A folder in which nothing is installed yet. */
export function installationFacts(changes: Partial<InstallationFacts> = {}): InstallationFacts {
  return {
    exists: false,
    leftCopy: false,
    writable: true,
    freeBytes: 10 * 1024 ** 3,
    noexec: false,
    releases: [],
    runtimes: [],
    directories: new Map(),
    files: new Map(),
    settings: new Map(),
    units: new Map(),
    applied: new Map(),
    ...changes,
  }
}

/** A fresh Debian host with systemd, seen as root. */
export function hostFacts(changes: Partial<HostFacts> = {}): HostFacts {
  return {
    host: 'db1',
    hostname: 'db1',
    machineId: '0123456789abcdef0123456789abcdef',
    kernel: 'Linux',
    machine: 'x86_64',
    os: 'Debian GNU/Linux 12 (bookworm)',
    uid: 0,
    login: 'root',
    group: 'root',
    systemd: true,
    addresses: ['10.0.0.11'],
    installation: installationFacts(),
    services: new Map(),
    listeners: [],
    hostStores: new Map(),
    ...changes,
  }
}

/** Components of cluster alpha in a folder: processes that run as the login, or else units that do not. */
export function serviceSet(
  changes: Partial<Omit<ServiceSet, 'layout' | 'data'>> & { readonly root?: string } = {},
): ServiceSet {
  const { root = '/opt/muster', ...others } = changes
  const manager = others.manager ?? 'systemd'
  const cluster = others.cluster ?? 'alpha'
  return {
    manager,
    cluster,
    layout: layoutOf(root),
    account:
      manager === 'process' ? { user: 'root', isOther: false } : { user: `muster-${cluster}`, isOther: true },
    data: serviceData(manager, { root, cluster }),
    components: ['manager', 'connector', 'replicator'],
    drainTimeout: 0,
    ...others,
  }
}
