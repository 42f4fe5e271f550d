import { command, type Definition, files, flag, runsOnFiles } from './definition.ts'
import { hostOption, serviceAndConnection } from './hostOption.ts'

/** Making the keys of hosts known. */
export const trust: Definition = (world) => [
  runsOnFiles(
    serviceAndConnection(
      hostOption(
        files(command('trust', 'show the SSH keys of the hosts and add trusted ones to known_hosts', world)),
      ),
    )
      .option('-y, --yes', 'trust every new key without asking')
      .option('--pin', 'print YAML that pins the keys instead of writing known_hosts')
      .option('--json', 'print the keys as JSON, without asking'),
    world,
    async (options, made) => {
      const { trust: run } = await import('../trust.ts')
      const [yes, pin, json] = [flag(made, 'yes'), flag(made, 'pin'), flag(made, 'json')]
      return run({ ...options, yes, pin, json })
    },
  ),
]
