import type { Destination } from './destination.ts'
import type { Session } from './sshSession.ts'

type Endable = Pick<Session, 'ended' | 'end'>

/** A connected jump host that the next server is reached through. */
export type ConnectedJumpHost<S extends Endable = Session> = { readonly session: S; readonly label: string }

/** A connection to a jump host in use. `release` may be called more than once. */
export type Lease<S extends Endable = Session> = ConnectedJumpHost<S> & { readonly release: () => void }

type JumpHosts<S extends Endable> = {
  /**
   * Returns a connection to the last of these jump hosts, through the others; undefined for an empty list.
   * All users of the same jump hosts share it; it ends with its last user. Rejects as `open` does, and again
   * with the same error for later users, so that a refused login is not repeated for each host.
   */
  lease(way: readonly Destination[]): Promise<Lease<S> | undefined>
}

type Entry<S> = { readonly session: Promise<S>; users: number }

/** Shares jump hosts between the hosts of one run. `through` is the previous jump host. */
export function createJumpHosts<S extends Endable>(
  open: (jump: Destination, through: ConnectedJumpHost<S> | undefined) => Promise<S>,
): JumpHosts<S> {
  const entries = new Map<string, Entry<S>>()

  const start = async (way: readonly Destination[], jump: Destination): Promise<S> => {
    const lease = await leaseOf(way.slice(0, -1))
    try {
      const session = await open(jump, lease)
      session.ended.then(() => lease?.release())
      return session
    } catch (error) {
      lease?.release()
      throw error
    }
  }

  /** The next user connects again. */
  const forget = (key: string, entry: Entry<S>): void => {
    if (entries.get(key) === entry) entries.delete(key)
  }

  const leaseOf = async (way: readonly Destination[]): Promise<Lease<S> | undefined> => {
    const jump = way.at(-1)
    if (jump === undefined) return undefined
    const key = JSON.stringify(way)
    const entry = entries.get(key) ?? { session: start(way, jump), users: 0 }
    entries.set(key, entry)
    entry.users += 1
    const session = await entry.session
    session.ended.then(() => forget(key, entry))
    let used = true
    const release = (): void => {
      if (!used) return
      used = false
      entry.users -= 1
      if (entry.users > 0) return
      forget(key, entry)
      session.end()
    }
    return { session, label: jump.label, release }
  }

  return { lease: leaseOf }
}
