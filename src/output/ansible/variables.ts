/** Variables of the hosts of an inventory: what is equal on all hosts belongs to their group. */
export type Variables = {
  /** Returns the name under which each host now has its value: the first that is free or means the same. */
  readonly add: (values: ReadonlyMap<string, unknown>, names: readonly string[]) => string
  /** Returns the variables that all hosts have with one value. */
  readonly ofGroup: () => Readonly<Record<string, unknown>>
  readonly ofHost: (host: string) => Readonly<Record<string, unknown>>
}

/** Returns a table without variables for these hosts. */
export function createVariables(hosts: readonly string[]): Variables {
  const table = new Map<string, Map<string, unknown>>()
  const fits = (name: string, values: ReadonlyMap<string, unknown>): boolean => {
    const there = table.get(name)
    return [...values].every(([host, value]) => !there?.has(host) || isEqual(there.get(host), value))
  }
  const isShared = (values: ReadonlyMap<string, unknown>): boolean =>
    values.size === hosts.length && [...values.values()].every((value, _, all) => isEqual(value, all[0]))
  const select = (wanted: (values: ReadonlyMap<string, unknown>) => readonly unknown[]) =>
    Object.fromEntries([...table].flatMap(([name, values]) => wanted(values).map((value) => [name, value])))
  return {
    add: (values, names) => {
      const name = names.find((one) => fits(one, values))
      if (name === undefined) throw new Error(`the variables ${names.join(', ')} have other values already`)
      table.set(name, new Map([...(table.get(name) ?? []), ...values]))
      return name
    },
    ofGroup: () => select((values) => (isShared(values) ? [values.get(hosts[0] ?? '')] : [])),
    ofHost: (host) => select((values) => (isShared(values) || !values.has(host) ? [] : [values.get(host)])),
  }
}

/** Returns true for values that JSON writes alike. */
export const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
