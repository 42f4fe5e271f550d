import { command, type Definition, files, flag, runsOnFiles } from './definition.ts'
import { formatGiven, formatOption } from './formatOption.ts'
import { optionsHelp } from './optionsHelp.ts'

/** `muster validate`. */
export const validate: Definition = (world) => [
  runsOnFiles(
    formatOption(files(command('validate', 'validate the files and report all problems', world)))
      .option('--each', 'validate each file alone instead of merging them')
      .option('--strict', 'count warnings as errors')
      .option('--resolve-secrets', 'trust the files: run !exec programs, read files outside their folder')
      .addHelpText('after', optionsHelp),
    world,
    async (options, made) => {
      const { validate: run } = await import('../validate.ts')
      return run({
        ...options,
        format: formatGiven(made),
        each: flag(made, 'each'),
        strict: flag(made, 'strict'),
        resolveSecrets: flag(made, 'resolveSecrets'),
      })
    },
  ),
]
