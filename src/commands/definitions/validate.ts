import { Option } from 'commander'
import { type ValidateFormat, validateFormats } from '../validateFormats.ts'
import { command, type Definition, files, flag, runsOnFiles } from './definition.ts'
import { optionsHelp } from './optionsHelp.ts'

/** `muster validate`. */
export const validate: Definition = (world) => [
  runsOnFiles(
    files(command('validate', 'check the files and tell every finding at once', world))
      .addOption(
        new Option('--format <format>', 'how findings are printed').choices(validateFormats).default('text'),
      )
      .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
      .option('--strict', 'count warnings as errors')
      .option('--resolve-secrets', 'trust the files: run what !exec names, read !file from anywhere')
      .addHelpText('after', optionsHelp),
    world,
    async (options, made) => {
      const { validate: run } = await import('../validate.ts')
      const { format } = made.opts<{ format: ValidateFormat }>()
      return run({
        ...options,
        format: flag(made, 'json') ? 'json' : format,
        strict: flag(made, 'strict'),
        resolveSecrets: flag(made, 'resolveSecrets'),
      })
    },
  ),
]
