import { overlaps } from '../../base/address.ts'
import { type ComponentListener, firstUnprivilegedPort, listenersOf } from '../desired/componentSettings.ts'
import { decideService } from '../desiredService.ts'
import type { Listener } from '../facts/hostFacts.ts'
import { installedListeners } from '../manifest.ts'
import { serviceManagers } from '../services/implementations.ts'
import { StepError } from '../stepError.ts'
import { type Candidate, type Check, ok } from './checkContract.ts'

/** Checks that each port of the components is free or already used by them, and allowed for their user. */
export const portsCheck: Check = {
  id: 'ports',
  check: (candidate) =>
    listens(candidate).flatMap((listen) => [...taken(candidate, listen), ...privileged(candidate, listen)]),
  describe: (subject) => {
    const ports = listens(subject).map(({ port }) => port)
    return ok(
      ports.length === 0 ? 'no port is opened' : `${ports.join(', ')}: free or already used by muster`,
    )
  },
}

const listens = ({ host }: Candidate): readonly ComponentListener[] =>
  host.apis.flatMap((api) => listenersOf(host, api))

function taken({ host, facts }: Candidate, listen: ComponentListener): readonly StepError[] {
  const { of, address, port, portOption } = listen
  const ours = installedListeners(facts)
  const isOurs = (listener: Listener): boolean =>
    ours.some((own) => own.port === listener.port && own.address === listener.address)
  const other = facts.listeners.find(
    (listener) => listener.port === port && overlaps(listener.address, address) && !isOurs(listener),
  )
  if (other === undefined) return []
  return [
    new StepError({
      host: host.name,
      code: 'port-in-use',
      message: `port ${port} of ${of} is in use: another program listens on ${formatListener(other)}`,
      fix: `Stop that program (\`ss -ltnp 'sport = :${port}'\` on ${host.name} names it), or set ${portOption} to a free port.`,
    }),
  ]
}

/** Formats address and port: `127.0.0.1:8090`, `[::1]:8090` (RFC 3986, 3.2.2). */
const formatListener = ({ address, port }: Listener): string =>
  `${address.includes(':') ? `[${address}]` : address}:${port}`

function privileged({ cluster, host, facts }: Candidate, listen: ComponentListener): readonly StepError[] {
  const { of, port, portOption } = listen
  const { manager, user } = decideService(host, facts, cluster)
  if (port >= firstUnprivilegedPort || serviceManagers[manager].grantsPrivilegedPorts || user === 'root')
    return []
  return [
    new StepError({
      host: host.name,
      code: 'privileged-port',
      message: `port ${port} of ${of} is reserved for root, but the components run as ${user} without systemd`,
      fix: `Set ${portOption} to ${firstUnprivilegedPort} or above, or run them under systemd.`,
    }),
  ]
}
