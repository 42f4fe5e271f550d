/** Lets `limit` calls run at a time; the others wait in the order of their calls. */
export function createSemaphore(limit: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0
  const queue: (() => void)[] = []
  return async (work) => {
    if (running < limit) running += 1
    else await new Promise<void>((resolve) => queue.push(resolve))
    try {
      return await work()
    } finally {
      // The slot passes to the next waiter directly, so that no later call can take it first.
      const next = queue.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/** Maps with at most `limit` calls at a time, keeping the order; rejects with the first rejection. */
export async function mapLimit<In, Out>(options: {
  readonly items: readonly In[]
  readonly limit: number
  readonly map: (item: In) => Promise<Out>
}): Promise<Out[]> {
  const results = new Map<number, Out>()
  const queue = options.items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results.set(index, await options.map(item))
  }
  await Promise.all(Array.from({ length: Math.min(options.limit, options.items.length) }, worker))
  return options.items.flatMap((_, index) => {
    const result = results.get(index)
    return result === undefined ? [] : [result]
  })
}

/**
 * Runs the work once at a time. Calls during a run share the next run, so that no result is older than its
 * call.
 */
export function shareRuns<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | undefined
  let next: Promise<Result> | undefined

  function start(): Promise<Result> {
    const run = work().finally(() => {
      if (current === run) current = undefined
    })
    current = run
    return run
  }

  return () => {
    if (!current) return start()
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return start()
      })
    return next
  }
}

/** Milliseconds that a long computation keeps the event loop at most, beside its own steps. */
const longestTurn = 50

/**
 * Returns a function to await between the steps of a long computation. It lets everything else run now and then: a
 * server closes a connection on which nobody answers its keepalives (`ClientAliveInterval` of sshd).
 */
export function createTurns(clock = () => performance.now()): () => Promise<void> {
  let since = clock()
  return async () => {
    if (clock() - since < longestTurn) return
    await new Promise((resolve) => setImmediate(resolve))
    since = clock()
  }
}
