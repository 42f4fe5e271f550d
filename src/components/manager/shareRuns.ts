/**
 * Lets one run of the work go on at a time. Whoever comes during a run shares the next one, so that what it finds
 * is never older than the question.
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
