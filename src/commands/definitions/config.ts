import { type Command, Option } from 'commander'
import { command, type Definition, files, flag, runsOnFiles, type World } from './definition.ts'
import { several } from './several.ts'

const hostOption = (): Option =>
  new Option('--host <name>', 'only this host; * and ? stand for any characters; may be repeated').argParser(
    several,
  )

const formatOption = (): Option =>
  new Option('--format <format>', 'how it is printed').choices(['text', 'json']).default('text')

type Values = { readonly host?: string[]; readonly format?: string }

const chosen = (made: Command): { readonly hosts: readonly string[]; readonly format: 'text' | 'json' } => {
  const { host = [], format } = made.opts<Values>()
  return { hosts: host, format: format === 'json' ? 'json' : 'text' }
}

const diff = (world: World): Command => {
  const made = command('diff', 'show what two configurations give the hosts differently', world)
  return made
    .argument('<before>', 'a YAML file; - is standard input')
    .argument('<after>', 'another one')
    .addOption(hostOption())
    .addOption(formatOption())
    .addHelpText(
      'after',
      `
Files that lie over each other are joined by commas: muster config diff base.yaml base.yaml,staging.yaml
Exit codes: 0 nothing differs, 1 a file has errors, 2 there are differences, 3 could not run.`,
    )
    .action(async (before: string, after: string) => {
      const { configDiff } = await import('../configDiff.ts')
      world.done(await configDiff({ context: world.context, before, after, ...chosen(made) }))
    })
}

/** `muster config` and `muster config diff`. */
export const config: Definition = (world) => [
  runsOnFiles(
    files(command('config', 'show what every host gets, and from which line of which file', world))
      .addOption(hostOption())
      .option('--origin', 'say of each value where it comes from')
      .addOption(formatOption())
      .addOption(
        new Option(
          '--scrub',
          'print the file itself, to be shared: without secrets, comments, names and addresses',
        ).conflicts(['host', 'origin', 'format', 'set']),
      )
      .addHelpText(
        'after',
        'Look a scrubbed file through before you share it: numbers and the names of unknown options stay.',
      )
      // So that what follows the word diff belongs to it, --host and --format included.
      .enablePositionalOptions()
      .addCommand(diff(world)),
    world,
    async (options, made) => {
      if (flag(made, 'scrub')) {
        const { scrub } = await import('../scrub.ts')
        return scrub(options)
      }
      const { config: run } = await import('../config.ts')
      return run({ ...options, ...chosen(made), origin: flag(made, 'origin') })
    },
  ),
]
