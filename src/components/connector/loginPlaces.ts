import type { Clock } from '../clock.ts'
import type { Client } from './client.ts'
import { type LoginLimiter, loginLimits } from './loginLimiter.ts'

/** Milliseconds that a login behind TLS gets where nobody sees whether the client or the server is slow. */
const hiddenTurn = 4000

/** Clients that log in, each in a place of its address. */
type LoginPlaces = {
  /** Gives a client a place unless it has one; false where it has to wait. */
  enter(client: Client): boolean
  /** Returns false for a client without a place. */
  leave(client: Client): boolean
  /**
   * Dismisses clients that say nothing, longest first, as far as others wait for places of theirs: `waiting` by
   * address. Returns the milliseconds until it is worth another look; undefined where it is not.
   */
  makeRoom(waiting: ReadonlyMap<string, number>): number | undefined
  /** Does so for all of them: a connector that ends waits for nobody who does not log in. */
  clear(): number | undefined
}

export function createLoginPlaces(options: {
  readonly clock: Clock
  readonly loginLimiter: LoginLimiter
}): LoginPlaces {
  const { clock, loginLimiter } = options
  const { usual } = loginLimits.silence
  /** In the order in which they began; true for those that were dismissed. */
  const inside = new Map<Client, boolean>()

  /** Dismisses `most` of those clients that are silent for too long; returns when there may be more. */
  function dismiss(
    clients: readonly Client[],
    order: { readonly most: number; readonly patience: number; readonly hidden: number },
    onDismissed: () => void = () => undefined,
  ): number | undefined {
    const { most, patience, hidden } = order
    const now = clock.elapsed()
    const silent: { readonly client: Client; readonly due: number }[] = []
    for (const client of clients) {
      const turn = client.login?.turn()
      if (turn) silent.push({ client, due: turn.since + (turn.whose === 'client' ? patience : hidden) })
    }
    const longestFirst = silent.toSorted((a, b) => a.due - b.due)
    const due = longestFirst.filter((it) => it.due <= now).slice(0, most)
    for (const { client } of due) {
      inside.set(client, true)
      onDismissed()
      client.login?.dismiss()
    }
    if (due.length >= Math.min(most, clients.length)) return undefined
    const next = longestFirst[due.length]
    return Math.min(patience, next ? next.due - now : patience)
  }

  const stillInside = (): readonly Client[] =>
    [...inside].flatMap(([client, isDismissed]) => (isDismissed ? [] : client))

  return {
    enter: (client) => {
      if (inside.has(client)) return true
      if (!loginLimiter.enter(client.origin)) return false
      inside.set(client, false)
      return true
    },
    leave: (client) => {
      if (!inside.delete(client)) return false
      loginLimiter.leave(client.origin)
      return true
    },
    makeRoom: (waiting) => {
      const times: number[] = []
      for (const [origin, count] of waiting) {
        const clients = stillInside().filter((it) => it.origin === origin)
        const leaving = (loginLimiter.pending().get(origin) ?? 0) - clients.length
        if (count <= leaving) continue
        const order = {
          most: count - leaving,
          patience: loginLimiter.patience(origin),
          hidden: hiddenTurn,
        }
        const time = dismiss(clients, order, () => loginLimiter.silent(origin))
        if (time !== undefined) times.push(time)
      }
      return times.length === 0 ? undefined : Math.min(...times)
    },
    clear: () => {
      const clients = stillInside()
      return dismiss(clients, { most: clients.length, patience: usual, hidden: usual })
    },
  }
}
