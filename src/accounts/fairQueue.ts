/** Too many are waiting already: the caller should come back later. */
export class QueueFullError extends Error {
  constructor() {
    super('too many password checks are waiting')
    this.name = 'GateFullError'
  }
}

/** Origin of a caller: an address or a user of this host. Callers of this host wait in a room of their own. */
export type Origin = { readonly name: string; readonly isLocal: boolean }

export type FairQueue = {
  /** Runs the work when its turn comes; rejects with `GateFullError` where too many of its origin, or in all, wait. */
  run<Result>(origin: Origin, work: () => Promise<Result>): Promise<Result>
}

type Waiting = { readonly enter: () => void; readonly refuse: (error: Error) => void }

/** Callers that wait in one room, by origin; the origin whose turn is next is the first. */
type Lane = { readonly queues: Map<string, Waiting[]>; waiting: number }

const newLane = (): Lane => ({ queues: new Map(), waiting: 0 })

function remove(
  room: Lane,
  name: string,
  take: (queue: Waiting[]) => Waiting | undefined,
): Waiting | undefined {
  const queue = room.queues.get(name)
  const taken = queue && take(queue)
  if (queue === undefined || taken === undefined) return undefined
  room.waiting -= 1
  if (queue.length === 0) room.queues.delete(name)
  return taken
}

/** The one whose turn it is; its origin stands last from now on. */
function next(room: Lane): Waiting | undefined {
  const [name] = room.queues.keys()
  if (name === undefined) return undefined
  const taken = remove(room, name, (queue) => queue.shift())
  const rest = room.queues.get(name)
  if (rest !== undefined) {
    room.queues.delete(name)
    room.queues.set(name, rest)
  }
  return taken
}

/** Rejects the newest of the origin with most in a room, if that has more than this one would have; else false. */
function evictFor(room: Lane, name: string): boolean {
  const own = room.queues.get(name)?.length ?? 0
  const [most, queue] = [...room.queues].reduce((a, b) => (b[1].length > a[1].length ? b : a), ['', []])
  if (queue.length <= own + 1) return false
  remove(room, most, (waiting) => waiting.pop())?.refuse(new QueueFullError())
  return true
}

/**
 * Lets `atOnce` works run at a time, origin by origin in turn, so that nobody who sends many keeps others waiting.
 * `perOrigin` more of each origin wait, `waiting` of all others than this host's callers, and as many of those.
 */
export function createFairQueue(limits: {
  readonly concurrency: number
  readonly perOrigin: number
  readonly waiting: number
}): FairQueue {
  let running = 0
  const local = newLane()
  const remote = newLane()
  let latest = local

  const turn = ({ name, isLocal }: Origin): Promise<void> => {
    if (running < limits.concurrency) {
      running += 1
      return Promise.resolve()
    }
    const room = isLocal ? local : remote
    const queue = room.queues.get(name) ?? []
    if (queue.length >= limits.perOrigin) return Promise.reject(new QueueFullError())
    if (room.waiting >= limits.waiting && !evictFor(room, name)) return Promise.reject(new QueueFullError())
    return new Promise((enter, refuse) => {
      room.queues.set(name, queue)
      queue.push({ enter, refuse })
      room.waiting += 1
    })
  }

  // A place is handed on, not freed: nobody who comes later can slip in between. The rooms take turns.
  const leave = (): void => {
    const [first, second] = latest === local ? [remote, local] : [local, remote]
    latest = first.waiting > 0 ? first : second
    const entering = next(latest)
    if (entering) entering.enter()
    else running -= 1
  }

  return {
    async run(origin, work) {
      await turn(origin)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
