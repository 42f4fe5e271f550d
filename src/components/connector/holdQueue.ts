import type { Clock } from '../clock.ts'

/** One that waits, and how many of its origin are inside already. */
type NextInLine<Client> = { readonly client: Client; readonly arrived: number; readonly rank: number }

/** Queue of held clients, bounded in number and time, in order of arrival; origins share its places. */
export type HoldQueue<Client> = {
  readonly size: number
  /**
   * Adds a client that arrived at that time of `clock.elapsed`. Returns the one for which there is no room then: the
   * newest of the origin that has most, or the newcomer itself.
   */
  add(client: Client, arrived: number): Client | undefined
  /** Does nothing for one that is not there. */
  remove(client: Client): void
  /** Takes out the one that arrived first. */
  take(): Client | undefined
  /** Returns the first of the origin with the lowest rank, of equals the one that arrived first; none without a rank. */
  next(rankOf: (origin: string) => number | undefined): NextInLine<Client> | undefined
  /** Those who wait, by origin. */
  origins(): ReadonlyMap<string, { readonly size: number }>
  /** Milliseconds until the one that arrived first has waited long enough; undefined while nobody waits. */
  remaining(): number | undefined
}

/** Creates a queue of `most` clients; one that has waited `longest` milliseconds since its arrival is sent away. */
export function createHoldQueue<Client>(options: {
  readonly most: number
  readonly longest: number
  readonly clock: Clock
  readonly originOf: (client: Client) => string
  readonly onExpired: (client: Client) => void
}): HoldQueue<Client> {
  const { most, longest, clock, originOf, onExpired } = options
  let waiting = new Map<Client, number>()
  const byOrigin = new Map<string, Map<Client, number>>()
  let latest = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined

  const first = () => waiting.entries().next().value
  const inOrder = (map: Map<Client, number>): Map<Client, number> =>
    new Map([...map].sort(([, a], [, b]) => a - b))

  const remaining = (): number | undefined => {
    const entry = first()
    return entry && Math.max(0, entry[1] + longest - clock.elapsed())
  }

  /** One timer, for the one that came first: all wait equally long. */
  function schedule(): void {
    cancel?.()
    const milliseconds = remaining()
    cancel = milliseconds === undefined ? undefined : clock.after(milliseconds, expire)
  }

  function expire(): void {
    for (let entry = first(); entry && remaining() === 0; entry = first()) {
      drop(entry[0])
      onExpired(entry[0])
    }
    schedule()
  }

  /** Returns false for one that is not there. */
  function drop(client: Client): boolean {
    const origin = originOf(client)
    const own = byOrigin.get(origin)
    own?.delete(client)
    if (own?.size === 0) byOrigin.delete(origin)
    return waiting.delete(client)
  }

  function remove(client: Client): void {
    const wasFirst = first()?.[0] === client
    if (drop(client) && wasFirst) schedule()
  }

  /** Returns the newest of the origin that has most, where that has more than this one would have. */
  function newestOfMost(origin: string): Client | undefined {
    let clients = byOrigin.get(origin)
    const own = clients?.size ?? 0
    for (const others of byOrigin.values()) if (others.size > (clients?.size ?? 0)) clients = others
    return clients && clients.size > own + 1 ? [...clients.keys()].at(-1) : undefined
  }

  return {
    get size() {
      return waiting.size
    },
    add: (client, arrived) => {
      const origin = originOf(client)
      const evicted = waiting.size < most ? undefined : newestOfMost(origin)
      if (waiting.size >= most && evicted === undefined) return client
      if (evicted !== undefined) remove(evicted)
      const own = (byOrigin.get(origin) ?? new Map<Client, number>()).set(client, arrived)
      waiting.set(client, arrived)
      // One that had to come back takes its old place.
      const isBack = arrived < latest
      if (isBack) waiting = inOrder(waiting)
      byOrigin.set(origin, isBack ? inOrder(own) : own)
      latest = Math.max(latest, arrived)
      if (first()?.[0] === client) schedule()
      return evicted
    },
    remove,
    take: () => {
      const entry = first()
      if (entry) remove(entry[0])
      return entry?.[0]
    },
    next: (rankOf) => {
      let best: NextInLine<Client> | undefined
      for (const [origin, clients] of byOrigin) {
        const [[client, arrived] = []] = clients
        const rank = rankOf(origin)
        if (client === undefined || arrived === undefined || rank === undefined) continue
        const isBetter = !best || rank < best.rank || (rank === best.rank && arrived < best.arrived)
        if (isBetter) best = { client, arrived, rank }
      }
      return best
    },
    origins: () => byOrigin,
    remaining,
  }
}
