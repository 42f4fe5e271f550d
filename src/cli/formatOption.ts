import { type Command, Option } from 'commander'

/** Output formats of `muster validate`, `drift`, `cert check` and `users verify`. */
export const findingFormats = ['text', 'json', 'sarif', 'junit', 'github', 'markdown'] as const

export type FindingFormat = (typeof findingFormats)[number]

/** Output formats of `muster plan`. */
export const planFormats = ['text', 'json', 'markdown'] as const

export type PlanFormat = (typeof planFormats)[number]

/** Adds --format and --json, for commands whose results programs read, too. */
export const formatOption = <Made extends Command>(
  made: Made,
  formats: readonly string[] = findingFormats,
): Made =>
  made
    .addOption(new Option('--format <format>', 'output format').choices(formats).default('text'))
    .addOption(new Option('--json', 'shorthand for --format json').conflicts('format'))

/** Returns the value of --format or --json, one of the formats that `formatOption` got. */
export function formatGiven<Format extends string = FindingFormat>(made: Command): Format | 'json' {
  const { format, json } = made.opts<{ format: Format; json?: true }>()
  return json === true ? 'json' : format
}
