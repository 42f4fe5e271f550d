import type { CommandContext } from '../cli/context.ts'
import type { HostConfig } from '../config/model.ts'
import { mustBeOwnMachine } from '../deployment/hostIdentity.ts'
import { machinesOf } from '../deployment/state/openState.ts'
import type { StatePlace } from '../deployment/state/statePlace.ts'
import type { Transport } from '../transport/transport.ts'
import { connectHost } from './connectHost.ts'

/**
 * Returns a `connectHost` for commands without facts: it rejects with a `StepError` also if a host is not the machine
 * that was installed. Reads the machines from the state directory; throws a `StateError`.
 */
export async function ownHosts(
  context: CommandContext,
  place: StatePlace,
): Promise<(host: HostConfig) => Promise<Transport>> {
  const machines = await machinesOf(place)
  return async (host) => {
    const transport = await connectHost(context, host)
    try {
      await mustBeOwnMachine(transport, { host, machines })
      return transport
    } catch (error) {
      await transport.close()
      throw error
    }
  }
}
