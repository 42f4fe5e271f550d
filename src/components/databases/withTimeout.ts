/** Returns the result of the work; rejects with the error of `late` after the time, and the work goes on unheard. */
export async function withTimeout<Result>(options: {
  readonly milliseconds: number
  readonly work: Promise<Result>
  readonly late: () => Error
}): Promise<Result> {
  const { milliseconds, work, late } = options
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds)
  })
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
