import { allOptions } from '../../config/settings/options.ts'

/** An option of the file as --set takes it. */
export type Assignment = {
  readonly name: string
  readonly description: string
  /** Empty where anything can follow. */
  readonly values: readonly string[]
}

const firstSentence = (text: string): string => text.replace(/(?:[.;] .*|\.)$/s, '')

/** Every option of the file under every spelling, with the values that can be listed. */
export const assignments: readonly Assignment[] = allOptions.flatMap((setting) => {
  const { type, secret, documentation, name: main, aliases } = setting
  const choices = Array.isArray(type.schema.enum) ? type.schema.enum.map(String) : []
  const switches = type.schema.type === 'boolean' ? ['true', 'false'] : []
  // A secret is never an argument: it comes from standard input.
  const values = secret ? ['-'] : [...choices, ...switches]
  return [main, ...aliases].map((name) => ({ name, description: firstSentence(documentation), values }))
})
