import type { CommandContext } from '../cli/context.ts'
import { Interrupted } from '../cli/interrupted.ts'
import type { ClusterConfig, HostConfig } from '../config/model.ts'
import { type HostResult, onEachHost } from '../deployment/eachHost.ts'
import { requireOwnMachine } from '../deployment/hostIdentity.ts'
import { readInstalledSet } from '../deployment/installedSet.ts'
import type { ServiceSet } from '../deployment/services/serviceManager.ts'
import { machinesOf } from '../deployment/state/openState.ts'
import type { StatePlace } from '../deployment/state/statePlace.ts'
import type { Transport } from '../transport/transport.ts'
import { connectHost } from './connectHost.ts'

/**
 * Returns a `connectHost` for commands without facts: it rejects with a `StepError` also if a host is not the machine
 * that was installed. Reads the machines from the state directory; throws a `StateError`.
 */
export async function installedHostConnector(
  context: CommandContext,
  place: StatePlace,
): Promise<(host: HostConfig) => Promise<Transport>> {
  const machines = await machinesOf(place)
  return async (host) => {
    const transport = await connectHost(context, host)
    try {
      await requireOwnMachine(transport, { host, machines })
      return transport
    } catch (error) {
      await transport.close()
      throw error
    }
  }
}

/**
 * Does the work on every reachable installed host, on the machine that was installed. Throws `Interrupted` after
 * Ctrl-C.
 */
export async function onEachInstallation<Result>(options: {
  readonly context: CommandContext
  readonly config: ClusterConfig
  readonly work: (
    transport: Transport,
    at: { readonly host: HostConfig; readonly set: ServiceSet },
  ) => Promise<Result>
}): Promise<readonly HostResult<Result>[]> {
  const { context, config, work } = options
  const results = await onEachHost({
    hosts: config.hosts,
    forks: context.forks,
    connect: await installedHostConnector(context, config),
    work: async (transport, host) => {
      const set = await readInstalledSet(transport, { cluster: config.cluster, host })
      return work(transport, { host, set })
    },
  })
  if (context.signal.aborted) throw new Interrupted()
  return results
}
