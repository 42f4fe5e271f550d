import { type Command, Option } from 'commander'

/** Output formats of `muster validate`, `cert check` and `users verify`. */
export const findingFormats = ['text', 'json', 'sarif', 'junit', 'github'] as const

export type FindingFormat = (typeof findingFormats)[number]

/** Adds --format and --json, for commands whose findings programs read, too. */
export const formatOption = <Made extends Command>(made: Made): Made =>
  made
    .addOption(new Option('--format <format>', 'output format').choices(findingFormats).default('text'))
    .addOption(new Option('--json', 'shorthand for --format json').conflicts('format'))

/** Returns the value of --format or --json. */
export function formatGiven(made: Command): FindingFormat {
  const { format, json } = made.opts<{ format: FindingFormat; json?: true }>()
  return json === true ? 'json' : format
}
