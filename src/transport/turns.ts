/** Lets `atOnce` works run at a time; the others wait, in the order in which they came. */
export function createTurns(atOnce: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let running = 0
  const queue: (() => void)[] = []
  return async (work) => {
    if (running < atOnce) running += 1
    else await new Promise<void>((resolve) => queue.push(resolve))
    try {
      return await work()
    } finally {
      // A place is handed on, not freed: nobody who comes later can slip in between.
      const next = queue.shift()
      if (next) next()
      else running -= 1
    }
  }
}
