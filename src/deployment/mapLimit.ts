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
