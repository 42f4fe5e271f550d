import { type Command, CommanderError, Option } from 'commander'
import { CliCommand, helpCommand, loadCommand } from '../cli/cliCommand.ts'
import { helpOutput } from '../cli/command.ts'
import { complete, completeWord } from '../cli/completion/complete.ts'
import { completionCommand } from '../cli/completion/stubs.ts'
import type { CommandContext } from '../cli/context.ts'
import { exitCodes } from '../cli/exitCodes.ts'
import type { Example } from '../cli/help/helpText.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { type ThisMachine, thisMachine } from '../cli/thisMachine.ts'
import { UsageError } from '../cli/usageError.ts'
import { programContext, verbosityOptions } from '../cli/verbosity.ts'
import { renderError } from './call/callFailure.ts'
import { commandIndex, groups } from './commandIndex.ts'
import { completionSources } from './completionSources.ts'

/** Runs `tapi` with arguments that exclude node and the script, and resolves to its exit code. */
export async function tapi(options: {
  readonly argv: readonly string[]
  readonly context: CommandContext
  /** Identity of this machine; looked up unless given. */
  readonly machine?: ThisMachine
}): Promise<number> {
  const { argv, machine = thisMachine() } = options
  const { context, follow } = programContext(options.context, {
    name: 'tapi',
    commands: ['completion', 'help', ...commandIndex.map(({ name }) => name)],
  })
  let code: number = exitCodes.ok
  const done = (result: number): void => {
    code = result
  }
  const program = tapiProgram({ context, machine, done })
  follow(program)
  const [first, ...words] = argv
  if (first === completeWord)
    return complete({ program, words, context: options.context, sources: completionSources })
  try {
    await loadSuggested(program, argv)
    await program.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    if (error instanceof Interrupted) return exitCodes.interrupted
    if (!(error instanceof UsageError)) throw error
    context.stderr.write(renderError(error))
    return exitCodes.usage
  }
}

/** Loads all commands for `help`, and for an unknown word: it is compared with the names of all subcommands. */
async function loadSuggested(program: Command, argv: readonly string[]): Promise<void> {
  const [word] = program.parseOptions([...argv]).operands
  if (word === undefined) return
  const isKnown = program.commands.some((one) => one.name() === word)
  if (!isKnown || word === 'help') for (const one of program.commands) await loadCommand(one)
}

/** Creates the program with all its commands; the definition of each is loaded when it is used. */
export function tapiProgram(environment: {
  readonly context: CommandContext
  readonly machine: ThisMachine
  readonly done: (code: number) => void
}): CliCommand {
  const { context, done } = environment
  const program = base(context)
  globalOptions(program)
  verbosityOptions(program)
  program.hook('preSubcommand', (_, made) => loadCommand(made))
  for (const { name, group, description, examples, load } of commandIndex) {
    const made = program
      .command(name)
      .helpGroup(group)
      .description(description)
      .examples(...examples)
    made.lazy(async () => {
      const { createRunner } = await import('./call/runner.ts')
      const define = await load()
      define(made, createRunner(environment))
    })
  }
  completionCommand('tapi')(
    program
      .command('completion')
      .description('generate the shell completion script')
      .examples(
        ['Load it at every start of bash', "echo 'source <(tapi completion bash)' >> ~/.bashrc"],
        ['Load it in this fish', 'tapi completion fish | source'],
      ),
    { context, done },
  )
  helpCommand(program.command('help'), program.name())
  return program
}

function base(context: CommandContext): CliCommand {
  return new CliCommand('tapi')
    .description('Calls the REST API of one component on one host, and verifies its certificate.')
    .version(context.version, '-V, --version', 'print the version')
    .exitOverride()
    .commandsGroup(groups.tapi)
    .helpCommand(false)
    .configureOutput(helpOutput(context))
    .note(...footer)
    .examples(...examples)
}

const examples: readonly Example[] = [
  ['Show all components of a host', 'tapi --host db1 --user admin status'],
  ['Show all hosts of the cluster', 'tapi --all --user admin status'],
]

const footer = [
  'The password of --user comes from --password-file, --password-stdin, the environment variable TAPI_PASSWORD, or ' +
    'a prompt; never from an argument. TAPI_USER is the default of --user.',
  'Exit codes: 0 done, 1 the API returned an error, 3 wrong usage, 4 unreachable, 130 interrupted; with --all: ' +
    '0 every host, 1 some host refused or failed, a component is not ready or the managers disagree, 4 some host was ' +
    'unreachable.',
]

function globalOptions(program: Command): void {
  program
    .option('--host <host>', 'name or address of the host')
    .option(
      '--component <component>',
      'manager, connector or replicator (default: the first one on the host)',
    )
    .option('--user <user>', 'user to log in as')
    .option('--password-file <file>', "file with the user's password")
    .option('--password-stdin', 'read the password from standard input')
    .option('--cluster <cluster>', 'name or directory of the cluster, if several have a host of this name')
    .option('--ca <file>', 'PEM certificate of the authority to trust instead of the recorded one')
    .option(
      '--all',
      'run status, topology, events or a changing command on every host of the cluster; checks all hosts before a change',
    )
    .option(
      '--skip-unreachable',
      'skip unreachable hosts and change the others; with --all, or for what all managers keep',
    )
    .option('--port <port>', 'port to use instead of the recorded or default one')
    .option('--insecure', 'do not verify the certificate')
    .option('--json', 'print the response body as received')
    .option('--timeout <time>', 'time limit of a call, such as 500ms, 30s or 5m (default: 10s)')
  for (const flags of ['-p, --password [never]', '--pass [never]', '--new-password [never]']) {
    const option = new Option(flags).hideHelp()
    program.addOption(option).on(`option:${option.name()}`, () => {
      throw new UsageError(
        'A password cannot be an argument: every user of this machine can read the arguments of a program.',
        'Use --password-file FILE, --password-stdin, TAPI_PASSWORD or the prompt. If it was a real password, change it.',
      )
    })
  }
}
