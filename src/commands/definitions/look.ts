import { command, type Definition, files, flag, runsOnFiles } from './definition.ts'
import { hostOption, hostsGiven } from './hostOption.ts'

/** What looks at hosts and changes nothing. */
export const look: Definition = (world) => [
  runsOnFiles(
    hostOption(files(command('check', 'tell what would go wrong on the hosts; change nothing', world)))
      .option('--json', 'print all results as JSON')
      .option('--strict', 'count warnings as failures'),
    world,
    async (options, made) => {
      const { check } = await import('../check.ts')
      return check({
        ...options,
        hosts: hostsGiven(made),
        json: flag(made, 'json'),
        strict: flag(made, 'strict'),
      })
    },
  ),
]
