import type { Duplex } from 'node:stream'
import { type HostKeyAlgorithm, otherHostKeyAlgorithms } from './algorithms.ts'
import { typeOfKey } from './knownHosts.ts'
import type { SshPlace } from './sshErrors.ts'
import { openSession } from './sshSession.ts'
import { TransportError } from './transportError.ts'

type Reading = {
  readonly place: SshPlace
  /** Opens the way there anew for each handshake. */
  readonly open: (left: number) => Promise<Duplex>
  /** Tries one handshake, again where its failure passes; hands over the milliseconds that are left. */
  readonly tryHard: <Result>(attempt: (left: number) => Promise<Result>) => Promise<Result>
}

/**
 * The public keys that a server proves to have, one of each type, those first that we prefer. Nobody logs in.
 * Servers show one key in a handshake: each is told which types are left. Rejects with `TransportError`.
 */
export async function readHostKeys(reading: Reading): Promise<readonly Buffer[]> {
  const keys: Buffer[] = []
  for (;;) {
    const types = keys.map((key) => typeOfKey(key) ?? '')
    const algorithms = otherHostKeyAlgorithms(types)
    if (algorithms.length === 0) return keys
    try {
      const key = await reading.tryHard((left) => readHostKey({ ...reading, algorithms, left }))
      // A server that shows what it was not asked for would be asked for ever.
      if (types.includes(typeOfKey(key) ?? '')) return keys
      keys.push(key)
    } catch (error) {
      const noneLeft = error instanceof TransportError && error.code === 'no-login-method'
      if (noneLeft && keys.length > 0) return keys
      throw error
    }
  }
}

/** One handshake, up to where a login would begin: by then the server has signed with the key that it showed. */
async function readHostKey(
  options: Reading & { readonly algorithms: readonly HostKeyAlgorithm[]; readonly left: number },
): Promise<Buffer> {
  const { place, algorithms, left } = options
  let shown: Buffer | undefined
  const judge = (key: Buffer): undefined => {
    shown = key
  }
  try {
    const session = await openSession({
      place,
      stream: await options.open(left),
      policy: { algorithms, pinned: false, judge },
      login: { keys: [], skipped: [] },
      left,
      keepalive: 0,
    })
    session.destroy()
  } catch (error) {
    // Without a key to offer, the login fails on our side, and only once the handshake is over.
    const agreed = error instanceof TransportError && error.code === 'login-refused'
    if (agreed && shown !== undefined) return shown
    throw error
  }
  throw new Error('the server accepted a login that was never sent')
}
