/** Groups values by key, in the order of each key's first value. */
export function groupBy<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => string,
): readonly (readonly [Value, ...Value[]])[] {
  const groups = new Map<string, [Value, ...Value[]]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return [...groups.values()]
}
