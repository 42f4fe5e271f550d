import type { Setting } from '../settings/setting.ts'

/** Writes the default as in a file; undefined without one. */
export function defaultText({ default: value, type }: Setting<unknown>): string | undefined {
  if (value === undefined) return undefined
  const written = type.write(value)
  return Array.isArray(written) ? `[${written.join(', ')}]` : String(written)
}

/** Names the only component of a setting, unless its name has it. */
export const componentNote = ({ name, component }: Setting<unknown>): readonly string[] =>
  component === undefined || name.startsWith(component) ? [] : [`Only for hosts that run the ${component}.`]
