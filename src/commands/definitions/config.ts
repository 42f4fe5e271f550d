import { type Command, Option } from 'commander'
import { command, type Definition, files, flag, runsOnFiles, type World } from './definition.ts'
import { several } from './several.ts'

const hostOption = (): Option =>
  new Option(
    '--host <glob>',
    "only these hosts, such as db1,db2 or 'db*' or 'db[12]'; may be repeated",
  ).argParser(several)

const formatOption = (): Option =>
  new Option('--format <format>', 'output format').choices(['text', 'json']).default('text')

type Values = { readonly host?: string[]; readonly format?: string }

const chosen = (made: Command): { readonly hosts: readonly string[]; readonly format: 'text' | 'json' } => {
  const { host = [], format } = made.opts<Values>()
  return { hosts: host, format: format === 'json' ? 'json' : 'text' }
}

const diff = (world: World): Command => {
  const made = command('diff', 'compare what two configurations set for each host', world)
  return made
    .argument('<before>', 'a YAML file; - is standard input')
    .argument('<after>', 'the YAML file to compare with')
    .addOption(hostOption())
    .addOption(formatOption())
    .addHelpText(
      'after',
      `
Join files that are merged by commas: muster config diff base.yaml base.yaml,staging.yaml
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
    files(command('config', 'show the effective options of every host and their source', world))
      .addOption(hostOption())
      .option('--origin', 'show the source of each value')
      .addOption(formatOption())
      .addOption(
        new Option('--scrub', 'print the file without secrets, comments, names and addresses').conflicts([
          'host',
          'origin',
          'format',
          'set',
        ]),
      )
      .addHelpText(
        'after',
        'Review a scrubbed file before you share it: numbers and misspelled names of options stay.',
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
