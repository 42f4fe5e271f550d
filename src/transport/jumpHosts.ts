import type { Destination } from './destination.ts'
import type { Through } from './login/sshLogin.ts'
import type { Session } from './sshSession.ts'

/** A connection to a jump host that somebody uses; `release` when that is over, as often as you like. */
export type Lease = Through & { readonly release: () => void }

export type JumpHosts = {
  /**
   * The connection to the last of these jump hosts, through the others; undefined for none. All who go the same
   * way share one, which ends with its last user. Rejects as `open` does, and with the same failure for
   * everybody who comes later: a login that was refused is not tried for each host anew.
   */
  lease(way: readonly Destination[]): Promise<Lease | undefined>
}

type Entry = { readonly session: Promise<Session>; users: number }

/** Jump hosts that the hosts of one run share. `through` is the jump host before, if there is one. */
export function createJumpHosts(
  open: (jump: Destination, through: Through | undefined) => Promise<Session>,
): JumpHosts {
  const entries = new Map<string, Entry>()

  const start = async (way: readonly Destination[], jump: Destination): Promise<Session> => {
    const lease = await leaseOf(way.slice(0, -1))
    try {
      const session = await open(jump, lease)
      session.gone.then(() => lease?.release())
      return session
    } catch (error) {
      lease?.release()
      throw error
    }
  }

  /** Whoever comes after its end connects anew. */
  const forget = (key: string, entry: Entry): void => {
    if (entries.get(key) === entry) entries.delete(key)
  }

  const leaseOf = async (way: readonly Destination[]): Promise<Lease | undefined> => {
    const jump = way.at(-1)
    if (jump === undefined) return undefined
    const key = JSON.stringify(way)
    const entry = entries.get(key) ?? { session: start(way, jump), users: 0 }
    entries.set(key, entry)
    entry.users += 1
    const session = await entry.session
    session.gone.then(() => forget(key, entry))
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
