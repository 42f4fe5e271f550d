/** A process of the simulation: what it waits for is lost once it is killed, and late while it is stopped. */
export type SimulatedProcess = {
  readonly name: string
  isAlive: boolean
  isPaused: boolean
  /** Works that came due while it was stopped. */
  readonly backlog: (() => void)[]
}

export const newProcess = (name: string): SimulatedProcess => ({
  ...{ name, isAlive: true, isPaused: false },
  backlog: [],
})

type Entry = {
  readonly at: number
  readonly order: number
  readonly owner: SimulatedProcess | null
  readonly work: () => void
  isCancelled: boolean
}

const isEarlier = (one: Entry, other: Entry): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order)

/** Entries, the earliest first: a binary heap. */
function createQueue() {
  const heap: Entry[] = []
  const swap = (a: number, b: number): void => {
    const entry = heap[a] as Entry
    heap[a] = heap[b] as Entry
    heap[b] = entry
  }
  return {
    first: (): Entry | undefined => heap[0],
    push: (entry: Entry): void => {
      let at = heap.push(entry) - 1
      while (at > 0) {
        const parent = (at - 1) >> 1
        if (!isEarlier(entry, heap[parent] as Entry)) return
        swap(at, parent)
        at = parent
      }
    },
    pop: (): void => {
      const last = heap.pop() as Entry
      if (heap.length === 0) return
      heap[0] = last
      for (let at = 0; ; ) {
        const [left, right] = [2 * at + 1, 2 * at + 2]
        let least = at
        if (left < heap.length && isEarlier(heap[left] as Entry, heap[least] as Entry)) least = left
        if (right < heap.length && isEarlier(heap[right] as Entry, heap[least] as Entry)) least = right
        if (least === at) return
        swap(at, least)
        at = least
      }
    },
  }
}

export type VirtualTime = {
  /** Milliseconds since the begin. */
  now(): number
  /** Does the work after these milliseconds, for the process that runs now or for another one; returns the way to cancel it. */
  after(milliseconds: number, work: () => void, owner?: SimulatedProcess | null): () => void
  /** Does the work as part of a process, now. */
  as(owner: SimulatedProcess, work: () => void): void
  /** The process that runs now; null for the world around. */
  current(): SimulatedProcess | null
  /** Lets time pass; what is due happens in order, each with all that follows from it at once. */
  run(until: number): Promise<void>
  /** Lets a process that was stopped go on. */
  resume(owner: SimulatedProcess): void
  /** How much has happened. */
  steps(): number
}

/** `setImmediate` comes once no promise is left to go on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Creates a time that passes only as far as something is due: the same works come in the same order in each run. */
export function createVirtualTime(): VirtualTime {
  const queue = createQueue()
  let now = 0
  let order = 0
  let steps = 0
  let current: SimulatedProcess | null = null

  function add(milliseconds: number, work: () => void, owner: SimulatedProcess | null): Entry {
    order += 1
    const entry: Entry = { at: now + Math.max(0, milliseconds), order, owner, work, isCancelled: false }
    queue.push(entry)
    return entry
  }

  function begin({ owner, work }: Entry): boolean {
    if (owner && !owner.isAlive) return false
    if (owner?.isPaused) {
      owner.backlog.push(work)
      return false
    }
    current = owner
    steps += 1
    work()
    return true
  }

  return {
    now: () => now,
    after: (milliseconds, work, owner = current) => {
      const entry = add(milliseconds, work, owner)
      return () => {
        entry.isCancelled = true
      }
    },
    as: (owner, work) => void add(0, work, owner),
    current: () => current,
    run: async (until) => {
      for (let entry = queue.first(); entry !== undefined && entry.at <= until; entry = queue.first()) {
        queue.pop()
        if (entry.isCancelled) continue
        now = Math.max(now, entry.at)
        // Nothing of the world around waits for a promise.
        if (begin(entry) && entry.owner !== null) await settled()
        current = null
      }
      now = Math.max(now, until)
    },
    resume: (owner) => {
      owner.isPaused = false
      for (const work of owner.backlog.splice(0)) add(0, work, owner)
    },
    steps: () => steps,
  }
}

/** Lets `setTimeout` of this thread be that of a virtual time while the work goes on. */
export async function withTimersOf<Result>(time: VirtualTime, work: () => Promise<Result>): Promise<Result> {
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }
  globalThis.setTimeout = ((callback: () => void, milliseconds = 0) =>
    time.after(milliseconds, callback)) as unknown as typeof setTimeout
  globalThis.clearTimeout = ((cancel: unknown) => {
    if (typeof cancel === 'function') cancel()
  }) as typeof clearTimeout
  try {
    return await work()
  } finally {
    Object.assign(globalThis, real)
  }
}
