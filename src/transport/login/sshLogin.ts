import type { Duplex } from 'node:stream'
import type { Destination } from '../destination.ts'
import { dial } from '../dial.ts'
import { remainingHostKeyAlgorithms } from '../hostKeys/algorithms.ts'
import type { HostKeyPolicy } from '../hostKeys/hostKeyPolicy.ts'
import { typeOfKey } from '../hostKeys/knownHosts.ts'
import type { ConnectedJumpHost } from '../jumpHosts.ts'
import { forwardError } from '../sshErrors.ts'
import { type LogIn, openSession, type Session } from '../sshSession.ts'
import { TransportError } from '../transportError.ts'

/**
 * Opens a stream to a destination, from this machine or through a jump host; rejects with `TransportError`.
 */
export async function openStream(options: {
  readonly to: Destination
  readonly through: ConnectedJumpHost | undefined
  /** Milliseconds. */
  readonly left: number
  readonly startProxy: (command: string) => Promise<Duplex>
}): Promise<Duplex> {
  const { to, through, left } = options
  const { label, address, port } = to
  if (to.proxyCommand !== undefined) return options.startProxy(to.proxyCommand)
  if (through === undefined) return dial({ ...to, host: label, left })
  const forwarded = through.session.forward(address, port)
  let timer: NodeJS.Timeout | undefined
  const timedOut = new Promise<Error>((resolve) => {
    timer = setTimeout(() => resolve(new Error(`no answer within ${to.timeout / 1000} s`)), left)
  })
  const opened = await Promise.race([forwarded, timedOut])
  clearTimeout(timer)
  if (!(opened instanceof Error)) return opened
  // Close a stream that opens too late.
  forwarded.then((stream) => stream instanceof Error || stream.destroy())
  const reason = 'reason' in opened ? opened.reason : undefined
  throw forwardError({ jump: through.label, next: label, address, port }, { message: opened.message, reason })
}

/**
 * Logs in like `openSession`. A host has several keys and shows one: if another one is pinned, retries with
 * the other algorithms.
 */
export async function logIn(
  options: Omit<LogIn, 'stream'> & { readonly open: () => Promise<Duplex> },
): Promise<Session> {
  const { open, policy, ...rest } = options
  const shown: string[] = []
  const checkKey = (key: Buffer): TransportError | undefined => {
    shown.push(typeOfKey(key) ?? '')
    return policy.check(key)
  }
  const logInWith = async (algorithms: HostKeyPolicy['algorithms']): Promise<Session> =>
    openSession({ ...rest, stream: await open(), policy: { ...policy, check: checkKey, algorithms } })
  const wrongKey = (error: unknown): boolean =>
    error instanceof TransportError && error.code === 'host-key-changed'
  try {
    return await logInWith(policy.algorithms)
  } catch (first) {
    if (!policy.pinned || !wrongKey(first)) throw first
    for (;;) {
      const algorithms = remainingHostKeyAlgorithms(shown)
      if (algorithms.length === 0) throw first
      const outcome = await logInWith(algorithms).catch((error: unknown) => ({ error }))
      if (!('error' in outcome)) return outcome
      if (!wrongKey(outcome.error)) throw first
    }
  }
}
