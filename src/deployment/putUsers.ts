import type { UserRecord } from '../accounts/userFile.ts'
import { agentOver } from '../client/agentOver.ts'
import { attempt } from '../client/call.ts'
import { components } from '../contracts/component.ts'
import { hostRoutes } from '../contracts/hostRoutes.ts'
import { guardParameter } from '../contracts/route.ts'
import type { Transport } from '../transport/transport.ts'
import type { InstalledFacts } from './facts/hostFacts.ts'
import type { ServiceData } from './layout.ts'
import type { ServiceAccount } from './serviceAccount.ts'

/** Milliseconds that a component has for it. */
const patience = 20_000

/**
 * Has a component that runs write users into the user file, over its own socket: no program is started on the host for
 * it. False where that cannot be said to be done, as where no component runs, the host lets nobody through, or the
 * component is of an older release; whoever writes the same users again does no harm.
 */
export async function putUsers(
  transport: Transport,
  options: {
    readonly data: ServiceData
    readonly account: ServiceAccount
    readonly facts: InstalledFacts
    readonly records: readonly UserRecord[]
  },
): Promise<boolean> {
  const { data, account, facts, records } = options
  // Root would be led to where the service user's socket leads.
  if (account.isOther) return false
  const runs = components.find((component) => facts.services.get(component)?.state === 'running')
  if (runs === undefined) return false
  const socket = data.socket(runs)
  const stream = await transport.dial?.({ socket })
  if (stream === undefined || stream instanceof Error) return false
  const { name: id, method, path } = hostRoutes.putUsers
  const call = {
    ...{ id, method, path: `${path}?${guardParameter}=true`, timeout: patience },
    target: { socket },
    body: { users: records },
  }
  const result = await attempt(call, agentOver(stream, { kind: 'socket', path: socket }))
  stream.destroy()
  return 'status' in result && result.status === 200
}
