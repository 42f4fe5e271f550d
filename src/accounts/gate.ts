/** Too many are waiting already: the caller should come back later. */
export class GateFullError extends Error {
  constructor() {
    super('too many password checks are waiting')
    this.name = 'GateFullError'
  }
}

export type Gate = {
  /** Runs the work when its turn comes; rejects with `GateFullError` at once when too many wait. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Lets `atOnce` works run at a time and `waiting` more wait in order; the next one is turned away. */
export function createGate(limits: { readonly atOnce: number; readonly waiting: number }): Gate {
  let running = 0
  const queue: (() => void)[] = []

  const turn = (): Promise<void> => {
    if (running < limits.atOnce) {
      running += 1
      return Promise.resolve()
    }
    if (queue.length >= limits.waiting) return Promise.reject(new GateFullError())
    return new Promise((resolve) => queue.push(resolve))
  }

  // A place is handed on, not freed: nobody who comes later can slip in between.
  const leave = (): void => {
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }

  return {
    async run(work) {
      await turn()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
