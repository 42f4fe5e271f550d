import { isLoopback, isWildcard, overlaps } from '../../config/address.ts'
import type { HostConfig } from '../../config/model.ts'
import { firstFreePort, type Listen, listensOf } from '../desired/listens.ts'
import type { HostFacts, Listener } from '../facts/model.ts'
import { installedListeners } from '../manifest.ts'
import { servicePlan } from '../service.ts'
import { serviceManagers } from '../services/implementations.ts'
import type { StepError } from '../stepError.ts'
import { problemsOf } from './problem.ts'

/** Whether each port that a host's components open is free or ours, and each address one of the host's. */
export function judgeListeners(host: HostConfig, facts: HostFacts, cluster: string): StepError[] {
  const ours = installedListeners(facts)
  const missing = new Set<string>()
  return host.apis
    .flatMap((api) => listensOf(host, api))
    .flatMap((listen) => [
      ...judgePort({ host, facts, cluster, ours, listen }),
      ...judgeAddress({ host, facts, missing, listen }),
    ])
}

function judgePort(options: {
  readonly host: HostConfig
  readonly facts: HostFacts
  readonly cluster: string
  readonly ours: readonly Listener[]
  readonly listen: Listen
}): StepError[] {
  const { host, facts, ours } = options
  const { of, address, port, portOption } = options.listen
  const problem = problemsOf(host)
  const service = servicePlan(host, facts, options.cluster)
  const privileged = serviceManagers[service.manager].grantsPrivilegedPorts || service.user === 'root'
  const isOurs = (listener: Listener): boolean =>
    ours.some((own) => own.port === listener.port && own.address === listener.address)
  const taken = facts.listeners.find(
    (listener) => listener.port === port && overlaps(listener.address, address) && !isOurs(listener),
  )
  return [
    ...(taken === undefined
      ? []
      : [
          problem(
            'port-in-use',
            `port ${port} of ${of} is taken: something already listens on ${placeText(taken)}`,
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
  ]
}

function judgeAddress(options: {
  readonly host: HostConfig
  readonly facts: HostFacts
  /** Options whose address was told to be missing: once is enough. */
  readonly missing: Set<string>
  readonly listen: Listen
}): StepError[] {
  const { host, facts, missing } = options
  const { address, addressOption } = options.listen
  const here = isWildcard(address) || isLoopback(address) || facts.addresses.includes(address)
  if (here || missing.has(addressOption)) return []
  missing.add(addressOption)
  return [
    problemsOf(host)(
      'address-not-here',
      `${addressOption} is ${address}, which is not an address of this host (it has ${facts.addresses.join(', ')})`,
      `Set ${addressOption} to one of them, or to 0.0.0.0 for all.`,
    ),
  ]
}

/** Address and port as programs take them: `127.0.0.1:8090`, `[::1]:8090` (RFC 3986, 3.2.2). */
const placeText = ({ address, port }: Listener): string =>
  `${address.includes(':') ? `[${address}]` : address}:${port}`
