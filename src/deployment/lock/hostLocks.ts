import type { HostConfig } from '../../config/model.ts'
import type { Transport } from '../../transport/transport.ts'
import type { Failure } from '../events.ts'
import { failureOf, isUnreachable } from '../hostFailure.ts'
import { mapHosts } from '../mapHosts.ts'
import { type HeldLock, lockUnknown, parseLockResponse } from './heldLock.ts'
import { releaseScript, statusScript } from './lockScripts.ts'

/** Lock of one host now, or the failure to read it. */
export type HostLock = { readonly host: string } & (
  | { readonly state: 'free' }
  | { readonly state: 'held'; readonly lock: HeldLock }
  | { readonly state: 'unreachable' | 'failed'; readonly failure: Failure }
)

type Hosts = {
  readonly hosts: readonly HostConfig[]
  readonly forks: number | undefined
  readonly connect: (host: HostConfig) => Promise<Transport>
}

/** Reads the lock of every host. Changes nothing; a failure belongs to its host. */
export const hostLocks = ({ hosts, forks, connect }: Hosts): Promise<readonly HostLock[]> =>
  mapHosts({
    items: hosts,
    forks,
    map: (host) =>
      onHost(host, connect, async (transport) => {
        const { response } = parseLockResponse(
          (await transport.run(statusScript(host.installDirectory))).stdout.raw(),
        )
        if (response.kind === 'held') return { host: host.name, state: 'held', lock: response.lock }
        if (response.kind !== 'free')
          throw lockUnknown(host.name, response.kind === 'failed' ? response.why : '')
        return { host: host.name, state: 'free' }
      }),
  })

/**
 * Removes the locks that were read before, but none that another run has acquired since. Returns the locks that are
 * there afterwards.
 */
export const releaseLocks = (
  options: Hosts & { readonly seen: readonly HostLock[] },
): Promise<readonly HostLock[]> => {
  const held = new Map(options.seen.flatMap((one) => (one.state === 'held' ? [[one.host, one.lock]] : [])))
  const hosts = options.hosts.filter(({ name }) => held.has(name))
  const connect = async (host: HostConfig): Promise<Transport> => {
    const transport = await options.connect(host)
    await transport.run(releaseScript(host.installDirectory, held.get(host.name)?.owner?.id)).catch(() => {
      // The next request, on the same connection, checks that it is gone.
    })
    return transport
  }
  return hostLocks({ ...options, hosts, connect })
}

async function onHost(
  host: HostConfig,
  connect: Hosts['connect'],
  ask: (transport: Transport) => Promise<HostLock>,
): Promise<HostLock> {
  try {
    const transport = await connect(host)
    return await ask(transport).finally(() => transport.close())
  } catch (error) {
    const failure = failureOf(error)
    return { host: host.name, state: isUnreachable(error) ? 'unreachable' : 'failed', failure }
  }
}
