/** Too many are waiting already: the caller should come back later. */
export class QueueFullError extends Error {
  constructor() {
    super('too many password checks are waiting')
    this.name = 'QueueFullError'
  }
}

/** Origin of a caller: an address or a user of this host. Callers of this host wait in a lane of their own. */
export type Origin = { readonly name: string; readonly isLocal: boolean }

type FairQueue = {
  /** Runs the work when its turn comes; rejects with `QueueFullError` where too many of its origin, or in all, wait. */
  run<Result>(origin: Origin, work: () => Promise<Result>): Promise<Result>
}

type Waiting = { readonly resolve: () => void; readonly reject: (error: Error) => void }

/** Callers that wait in one lane, by origin; the origin whose turn is next is the first. */
type Lane = { readonly queues: Map<string, Waiting[]>; waiting: number }

const newLane = (): Lane => ({ queues: new Map(), waiting: 0 })

function remove(
  lane: Lane,
  name: string,
  take: (queue: Waiting[]) => Waiting | undefined,
): Waiting | undefined {
  const queue = lane.queues.get(name)
  const taken = queue && take(queue)
  if (queue === undefined || taken === undefined) return undefined
  lane.waiting -= 1
  if (queue.length === 0) lane.queues.delete(name)
  return taken
}

/** Removes the next one in turn; its origin stands last from now on. */
function next(lane: Lane): Waiting | undefined {
  const [name] = lane.queues.keys()
  if (name === undefined) return undefined
  const taken = remove(lane, name, (queue) => queue.shift())
  const rest = lane.queues.get(name)
  if (rest !== undefined) {
    lane.queues.delete(name)
    lane.queues.set(name, rest)
  }
  return taken
}

/** Rejects the newest of the origin with most in a lane, if that has more than this one would have; else false. */
function evictFor(lane: Lane, name: string): boolean {
  const own = lane.queues.get(name)?.length ?? 0
  const [most, queue] = [...lane.queues].reduce((a, b) => (b[1].length > a[1].length ? b : a), ['', []])
  if (queue.length <= own + 1) return false
  remove(lane, most, (waiting) => waiting.pop())?.reject(new QueueFullError())
  return true
}

/**
 * Runs `concurrency` jobs at a time, origin by origin in turn, so that nobody who sends many keeps others waiting.
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

  const waitForTurn = ({ name, isLocal }: Origin): Promise<void> => {
    if (running < limits.concurrency) {
      running += 1
      return Promise.resolve()
    }
    const lane = isLocal ? local : remote
    const queue = lane.queues.get(name) ?? []
    if (queue.length >= limits.perOrigin) return Promise.reject(new QueueFullError())
    if (lane.waiting >= limits.waiting && !evictFor(lane, name)) return Promise.reject(new QueueFullError())
    return new Promise((resolve, reject) => {
      lane.queues.set(name, queue)
      queue.push({ resolve, reject })
      lane.waiting += 1
    })
  }

  // The slot passes to the next waiter directly, so that no later call can take it first. The lanes take turns.
  const release = (): void => {
    const [first, second] = latest === local ? [remote, local] : [local, remote]
    latest = first.waiting > 0 ? first : second
    const entering = next(latest)
    if (entering) entering.resolve()
    else running -= 1
  }

  return {
    async run(origin, work) {
      await waitForTurn(origin)
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
