import { type Command, Option } from 'commander'

/** How findings can be printed: by `muster validate`, `cert check` and `users verify`. */
export const validateFormats = ['text', 'json', 'sarif', 'junit', 'github'] as const

export type ValidateFormat = (typeof validateFormats)[number]

/** Adds --format and --json, for commands whose findings programs read, too. */
export const formatOption = <Made extends Command>(made: Made): Made =>
  made
    .addOption(new Option('--format <format>', 'output format').choices(validateFormats).default('text'))
    .addOption(new Option('--json', 'shorthand for --format json').conflicts('format'))

/** What --format or --json was given. */
export function formatGiven(made: Command): ValidateFormat {
  const { format, json } = made.opts<{ format: ValidateFormat; json?: true }>()
  return json === true ? 'json' : format
}
