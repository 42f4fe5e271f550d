import type { UserUpdate } from '../accounts/userFile.ts'
import { agentForStream } from '../client/agentForStream.ts'
import { attempt } from '../client/call.ts'
import { components } from '../contracts/component.ts'
import { hostRoutes } from '../contracts/hostRoutes.ts'
import { callOf } from '../contracts/routeCall.ts'
import type { Transport } from '../transport/transport.ts'
import type { InstalledFacts } from './facts/hostFacts.ts'
import type { ServiceData } from './layout.ts'
import type { ServiceAccount } from './serviceAccount.ts'

/** Milliseconds for one component. */
const timeout = 20_000

/**
 * Asks a running component to write users to the user file over its own socket, so that no program starts on the
 * host. Returns false if this is not confirmed: no component runs, or the host denies forwarding. Writing the same users
 * again is harmless.
 */
export async function putUsers(
  transport: Transport,
  options: {
    readonly data: ServiceData
    readonly account: ServiceAccount
    readonly facts: InstalledFacts
    readonly updates: readonly UserUpdate[]
  },
): Promise<boolean> {
  const { data, account, facts, updates } = options
  // The service user could point the socket elsewhere, and root would follow.
  if (account.isOther) return false
  const runs = components.find((component) => facts.services.get(component)?.state === 'running')
  if (runs === undefined) return false
  const socket = data.socket(runs)
  const stream = await transport.dial?.({ socket })
  if (stream === undefined || stream instanceof Error) return false
  const call = {
    ...callOf(hostRoutes.putUsers, {}, { payload: { users: [...updates] } }),
    ...{ id: 'putUsers', timeout, target: { socket } },
  }
  const result = await attempt(call, agentForStream(stream, { kind: 'socket', path: socket }))
  stream.destroy()
  return 'status' in result && result.status === 200
}
