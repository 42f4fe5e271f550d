import type { HostConfig } from '../config/model.ts'
import { firstFreePort, listensOf } from './desired/listens.ts'
import { addressesClash } from './facts/listeners.ts'
import type { HostFacts, Listener } from './facts/model.ts'
import { layoutOf } from './layout.ts'
import { installedListeners } from './manifest.ts'
import { servicePlan } from './service.ts'
import { StepError } from './stepError.ts'

/** Bytes that a host must have free: a runtime, its packed form and two releases. */
const neededBytes = 300 * 1024 * 1024

/** Bytes of a Unix socket's path (unix(7): sun_path has 108, one of them the final NUL). */
const longestSocket = 107

/** What stands in the way of an installation on a host; pure, so nothing is touched before it is empty. */
export function judgeFacts(host: HostConfig, facts: HostFacts): StepError[] {
  const problem = (code: string, message: string, fix: string): StepError =>
    new StepError({ host: host.name, code, message, fix })
  if (facts.kernel !== 'Linux' || !['x86_64', 'aarch64'].includes(facts.machine)) {
    return [
      problem(
        'unsupported-system',
        `the host is ${facts.kernel} on ${facts.machine}`,
        'The components run on Linux, on x86_64 and aarch64.',
      ),
    ]
  }
  return [
    ...judgeRights(host, facts, problem),
    ...judgeDirectory(host, facts, problem),
    ...judgeListeners(host, facts, problem),
  ]
}

type Problem = (code: string, message: string, fix: string) => StepError

function judgeRights(host: HostConfig, facts: HostFacts, problem: Problem): StepError[] {
  const service = servicePlan(host, facts)
  const asRoot =
    host.connection === 'local'
      ? 'Run muster with sudo'
      : 'Set `ssh: { become: true }` for a login that may use sudo, or `ssh: { user: root }`'
  if (service.manager === 'systemd' && !facts.systemd) {
    return [
      problem(
        'no-systemd',
        'service-manager is systemd, but systemd is not process 1 there',
        'Leave service-manager at auto, or set it to process.',
      ),
    ]
  }
  if (facts.uid !== 0 && service.manager === 'systemd') {
    return [
      problem(
        'not-enough-rights',
        `the login is ${facts.login}, and only root may manage systemd services`,
        `${asRoot}, or set \`service-manager: process\`.`,
      ),
    ]
  }
  if (facts.uid !== 0 && host.user !== undefined && host.user !== facts.login) {
    return [
      problem(
        'not-enough-rights',
        `the login is ${facts.login}, and only root may run services as ${host.user}`,
        `${asRoot}, or leave out \`user\`.`,
      ),
    ]
  }
  if (!facts.installation.writable) {
    const message = `${facts.login} may not write to ${host.installDirectory}`
    return [
      facts.uid === 0
        ? problem(
            'not-enough-rights',
            `${message}: a part of that path is a file, or its file system is read-only`,
            'Choose another install-directory.',
          )
        : problem(
            'not-enough-rights',
            message,
            `${asRoot}, or choose an install-directory that ${facts.login} may write to.`,
          ),
    ]
  }
  return []
}

function judgeDirectory(host: HostConfig, facts: HostFacts, problem: Problem): StepError[] {
  const { manifest, freeBytes } = facts.installation
  const full =
    manifest === undefined && freeBytes < neededBytes
      ? [
          problem(
            'disk-full',
            `${host.installDirectory} has ${Math.floor(freeBytes / 1024 / 1024)} MiB free, and ${neededBytes / 1024 / 1024} MiB are needed`,
            'Make room there, or choose another install-directory.',
          ),
        ]
      : []
  const socket = layoutOf(host.installDirectory).socket('replicator')
  const long =
    Buffer.byteLength(socket) > longestSocket
      ? [
          problem(
            'path-too-long',
            `the path of a Unix socket there, ${socket}, has ${Buffer.byteLength(socket)} bytes, and Linux allows ${longestSocket}`,
            'Choose a shorter install-directory.',
          ),
        ]
      : []
  return [...full, ...long]
}

function judgeListeners(host: HostConfig, facts: HostFacts, problem: Problem): StepError[] {
  const ours = installedListeners(facts)
  const isOurs = (listener: Listener): boolean =>
    ours.some((own) => own.port === listener.port && addressesClash(own.address, listener.address))
  const service = servicePlan(host, facts)
  const privileged = service.manager === 'systemd' || service.user === 'root'
  const wanted = host.apis.flatMap((api) => listensOf(host, api))
  const missing = new Set<string>()
  return wanted.flatMap(({ of, address, port, portOption, addressOption }) => {
    const taken = facts.listeners.find(
      (listener) => listener.port === port && addressesClash(listener.address, address) && !isOurs(listener),
    )
    const here = /^(0\.0\.0\.0|::|127\..*|::1)$/.test(address) || facts.addresses.includes(address)
    const told = missing.has(addressOption)
    if (!here) missing.add(addressOption)
    return [
      ...(taken === undefined
        ? []
        : [
            problem(
              'port-in-use',
              `port ${port} of ${of} is taken: something already listens on ${taken.address}:${taken.port}`,
              `Stop that program (\`ss -ltnp 'sport = :${port}'\` on ${host.name} names it), or set ${portOption} to a free port.`,
            ),
          ]),
      ...(privileged || port >= firstFreePort
        ? []
        : [
            problem(
              'privileged-port',
              `port ${port} of ${of} is reserved to root, and the components run as ${service.user} without systemd`,
              `Set ${portOption} to ${firstFreePort} or above, or run them under systemd.`,
            ),
          ]),
      ...(here || told
        ? []
        : [
            problem(
              'address-not-here',
              `${addressOption} is ${address}, which is not an address of this host (it has ${facts.addresses.join(', ')})`,
              `Set ${addressOption} to one of them, or to 0.0.0.0 for all.`,
            ),
          ]),
    ]
  })
}
