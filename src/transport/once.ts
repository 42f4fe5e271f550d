/** Runs `make` on the first call for a name; later calls get the same promise. */
export type Once = <Result>(name: string, make: () => Promise<Result>) => Promise<Result>

export function createOnce(): Once {
  const done = new Map<string, Promise<unknown>>()
  return <Result>(name: string, make: () => Promise<Result>): Promise<Result> => {
    const before = done.get(name)
    // One name always has the same type of result.
    if (before !== undefined) return before as Promise<Result>
    const made = make()
    done.set(name, made)
    return made
  }
}
