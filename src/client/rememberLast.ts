/** What is kept of each: the calls of a run ask for the same few. */
const limit = 8

/** Makes the value of a key, unless it is one of the last few that were made. */
export function rememberLast<Value>(): (key: string, make: () => Value) => Value {
  let last: { readonly key: string; readonly value: Value }[] = []
  return (key, make) => {
    const known = last.find((one) => one.key === key)
    if (known !== undefined) return known.value
    const value = make()
    last = [{ key, value }, ...last.slice(0, limit - 1)]
    return value
  }
}
