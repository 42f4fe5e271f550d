/** A line of a component's log in the words that a person needs to see why it failed; others stay as they are. */
export function shortLine(line: string): string {
  const entry = parsed(line)
  if (entry === undefined) return line
  const { time, level, msg } = entry
  return [time, level, msg].filter((word) => typeof word === 'string').join(' ')
}

function parsed(line: string): { readonly [name: string]: unknown; readonly msg: string } | undefined {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null || !('msg' in value)) return undefined
    const { msg } = value
    return typeof msg === 'string' ? { ...value, msg } : undefined
  } catch {
    return undefined
  }
}
