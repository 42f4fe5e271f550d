import { type Command, Option } from 'commander'
import { type ValidateFormat, validateFormats } from '../validateFormats.ts'

/** Adds --format and --json, for commands whose findings programs read, too. */
export const formatOption = (made: Command): Command =>
  made
    .addOption(new Option('--format <format>', 'output format').choices(validateFormats).default('text'))
    .addOption(new Option('--json', 'shorthand for --format json').conflicts('format'))

/** What --format or --json was given. */
export function formatGiven(made: Command): ValidateFormat {
  const { format, json } = made.opts<{ format: ValidateFormat; json?: true }>()
  return json === true ? 'json' : format
}
