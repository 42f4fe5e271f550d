import { Command, CommanderError, Option } from 'commander'
import type { CommandContext } from './context.ts'
import { type ExitCode, exitCodes } from './exitCodes.ts'
import type { ClusterOptions } from './openCluster.ts'
import { showFailure } from './showFailure.ts'

type Run = (options: ClusterOptions, command: Command) => Promise<ExitCode>

const exitCodeHelp = `
Exit codes: 0 done or clean, 1 failed or findings, 2 changes pending, 3 could not run or wrong usage,
4 some hosts unreachable, 5 locked, 130 interrupted.`

/** Runs `muster` with the given arguments (without node and script) and says with which code to exit. */
export async function muster(options: {
  readonly argv: readonly string[]
  readonly context: CommandContext
}): Promise<ExitCode> {
  const { argv, context } = options
  let code: ExitCode = exitCodes.ok
  const program = base(context)
  const add = (command: Command, run: Run): void => {
    command.action(async () => {
      const set = command.opts<{ set?: string[] }>().set ?? []
      code = await run({ context, files: command.args, set }, command)
    })
    program.addCommand(command)
  }
  for (const [command, run] of commands()) add(inherit(command, context), run)
  program.addCommand(stateCommand(context, (result) => (code = result)))
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    return showFailure(context, error)
  }
}

function base(context: CommandContext): Command {
  const program = new Command('muster')
    .description('Deploys and looks after the REST APIs of a database cluster, from one YAML file.')
    .version(context.version, '-V, --version', 'print the version')
    .addHelpText('after', exitCodeHelp)
    .showSuggestionAfterError(true)
    .helpCommand(false)
  return inherit(program, context)
}

const inherit = (command: Command, context: CommandContext): Command =>
  command.exitOverride().configureOutput({
    writeOut: (text) => context.stdout.write(text),
    writeErr: (text) => context.stderr.write(text),
    outputError: (text, write) => write(`${text}  fix: see \`muster --help\`, or --help of the command.\n`),
  })

const files = (command: Command): Command =>
  command
    .argument('[file...]', 'YAML files, later ones over earlier ones; - is standard input')
    .addOption(
      new Option('--set <name=value>', 'set an option for every host; may be repeated').argParser(
        (value: string, before: string[] | undefined) => [...(before ?? []), value],
      ),
    )
    .addHelpText('after', '\nWithout FILE it is MUSTER_FILE, else ./muster.yaml.')

const changing = (command: Command): Command =>
  files(command)
    .option('-y, --yes', 'change hosts without asking')
    .option('--json', 'print events as JSON lines')

const runtime = (command: Command): Command =>
  command.option('--runtime-file <path>', 'Node.js for the hosts, where there is no registry')

function commands(): readonly (readonly [Command, Run])[] {
  return [
    [
      new Command('init')
        .description('write a commented file to start from')
        .argument('[file]', 'where to write it', 'muster.yaml')
        .option('--force', 'overwrite a file that exists'),
      async ({ context }, command) => {
        const { init } = await import('./init.ts')
        return init({ context, file: command.args[0] ?? 'muster.yaml', force: flag(command, 'force') })
      },
    ],
    [
      files(new Command('validate').description('check the files and tell every finding at once'))
        .addOption(
          new Option('--format <format>', 'how findings are printed')
            .choices(['text', 'json'])
            .default('text'),
        )
        .option('--json', 'the same as --format json')
        .option('--strict', 'count warnings as errors'),
      async (options, command) => {
        const { validate } = await import('./validate.ts')
        const json = flag(command, 'json') || command.opts<{ format: string }>().format === 'json'
        return validate({ ...options, format: json ? 'json' : 'text', strict: flag(command, 'strict') })
      },
    ],
    [
      runtime(
        files(new Command('plan').description('show what install would change; change nothing')),
      ).option('--json', 'print the plan as JSON'),
      async (options, command) => {
        const { plan } = await import('./plan.ts')
        return plan({ ...options, json: flag(command, 'json'), runtimeFile: runtimeFileOf(command) })
      },
    ],
    [
      runtime(
        changing(new Command('install').description('make every host what the file says, and prove it')),
      ),
      async (options, command) => {
        const { install } = await import('./install.ts')
        return install({ ...options, ...changeFlags(command), runtimeFile: runtimeFileOf(command) })
      },
    ],
    [
      files(new Command('status').description('show every host and component as it is now')).option(
        '--json',
        'print the status as JSON',
      ),
      async (options, command) => {
        const { status } = await import('./status.ts')
        return status({ ...options, json: flag(command, 'json') })
      },
    ],
    ...(['start', 'stop', 'restart'] as const).map((operation): readonly [Command, Run] => [
      changing(new Command(operation).description(`${operation} the components of every host`)),
      async (options, command) => {
        const { services } = await import('./services.ts')
        return services({ ...options, operation, ...changeFlags(command) })
      },
    ]),
    [
      changing(
        new Command('uninstall').description('take away from every host what install put there'),
      ).option('--purge', 'delete the state directory too, with the certificate authority'),
      async (options, command) => {
        const { uninstall } = await import('./uninstall.ts')
        return uninstall({ ...options, ...changeFlags(command), purge: flag(command, 'purge') })
      },
    ],
  ]
}

const flag = (command: Command, name: string): boolean =>
  command.opts<Record<string, unknown>>()[name] === true

const changeFlags = (command: Command): { readonly yes: boolean; readonly json: boolean } => ({
  yes: flag(command, 'yes'),
  json: flag(command, 'json'),
})

const runtimeFileOf = (command: Command): string | undefined =>
  command.opts<{ runtimeFile?: string }>().runtimeFile

function stateCommand(context: CommandContext, done: (code: ExitCode) => void): Command {
  const parent = inherit(new Command('state'), context)
    .description('carry the state directory to another operator, sealed by a passphrase')
    .helpCommand(false)
  const sub = (operation: 'export' | 'import', option: string, text: string): void => {
    const command = files(inherit(new Command(operation), context))
      .description(text)
      .requiredOption(`--${option} <archive>`, 'the archive')
      .option('--passphrase-file <file>', 'file with the passphrase')
      .option('--passphrase-stdin', 'read the passphrase from standard input')
    command.action(async () => {
      const given = command.opts<Record<string, string | undefined>>()
      const { state } = await import('./state.ts')
      done(
        await state({
          context,
          files: command.args,
          set: command.opts<{ set?: string[] }>().set ?? [],
          operation,
          archive: given[option] ?? '',
          passphraseFile: given.passphraseFile,
          passphraseStdin: flag(command, 'passphraseStdin'),
        }),
      )
    })
    parent.addCommand(command)
  }
  sub('export', 'out', 'write the state into one encrypted archive')
  sub('import', 'from', 'bring the state of an archive here; never over a different one')
  return parent
}
