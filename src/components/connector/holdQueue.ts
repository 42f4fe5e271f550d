import type { Clock } from '../clock.ts'

/** Queue of held clients, bounded in number and time, in order of arrival. */
export type HoldQueue<Client> = {
  readonly size: number
  /** Adds a client that arrived at that time of `clock.elapsed`; false if the queue is full. */
  add(client: Client, arrived: number): boolean
  /** Does nothing for one that is not there. */
  remove(client: Client): void
  /** Takes out the one that arrived first, of those that are `wanted` where that is given. */
  take(wanted?: (client: Client) => boolean): Client | undefined
  /** Milliseconds until the one that arrived first has waited long enough; undefined while nobody waits. */
  remaining(): number | undefined
}

/** Creates a queue of `most` clients; one that has waited `longest` milliseconds since its arrival is sent away. */
export function createHoldQueue<Client>(options: {
  readonly most: number
  readonly longest: number
  readonly clock: Clock
  readonly onExpired: (client: Client) => void
}): HoldQueue<Client> {
  const { most, longest, clock, onExpired } = options
  let waiting = new Map<Client, number>()
  let latest = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined

  const first = () => waiting.entries().next().value

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
      waiting.delete(entry[0])
      onExpired(entry[0])
    }
    schedule()
  }

  function remove(client: Client): void {
    const wasFirst = first()?.[0] === client
    if (waiting.delete(client) && wasFirst) schedule()
  }

  return {
    get size() {
      return waiting.size
    },
    add: (client, arrived) => {
      if (waiting.size >= most) return false
      waiting.set(client, arrived)
      // One that had to come back takes its old place.
      if (arrived < latest) waiting = new Map([...waiting].sort(([, a], [, b]) => a - b))
      latest = Math.max(latest, arrived)
      if (first()?.[0] === client) schedule()
      return true
    },
    remove,
    take: (wanted = () => true) => {
      for (const client of waiting.keys()) {
        if (!wanted(client)) continue
        remove(client)
        return client
      }
      return undefined
    },
    remaining,
  }
}
