import { parseJsonObject } from '../../base/json.ts'

/** A line of a component's log in the words that a person needs to see why it failed; others stay as they are. */
export function shortLine(line: string): string {
  const entry = parseJsonObject(line)
  if (typeof entry?.msg !== 'string') return line
  const { time, level, msg } = entry
  return [time, level, msg].filter((word) => typeof word === 'string').join(' ')
}
