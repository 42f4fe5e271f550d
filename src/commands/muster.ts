import { Command, CommanderError } from 'commander'
import { type CliCommand, helpCommand, loadCommand } from '../cli/cliCommand.ts'
import { command, type World } from '../cli/command.ts'
import { complete, completeWord } from '../cli/completion/complete.ts'
import type { CommandContext } from '../cli/context.ts'
import { exitCodes } from '../cli/exitCodes.ts'
import type { Example } from '../cli/help/helpText.ts'
import { programContext, verbosityOptions } from '../cli/verbosity.ts'
import { type CommandRow, groups } from './commandRow.ts'
import { commandTable } from './commandTable.ts'
import { completionSources } from './completionSources.ts'

const exitCodeHelp =
  'Exit codes: 0 done or clean, 1 failed or findings, 2 changes pending, 3 could not run or wrong usage, ' +
  '4 some hosts unreachable, 5 locked, 6 done but incomplete, 130 interrupted.'

const examples: readonly Example[] = [
  ['Show what would change, then change it', 'muster plan && muster install'],
  ['Explain a command', 'muster help users rotate'],
]

/** Returns the program with all its commands; the definition of each is loaded when it is used. */
export function musterProgram(world: World): CliCommand {
  const { context } = world
  const description = 'Deploys and manages the REST APIs of a database cluster from one YAML file.'
  const program = command('muster', description, world)
    .version(context.version, '-V, --version', 'print the version')
    .note(exitCodeHelp)
    .examples(...examples)
    // An option belongs to the command before it: `config diff` has some that `config` has, too.
    .enablePositionalOptions()
  verbosityOptions(program)
  addCommands(program, commandTable, world)
  program.addCommand(helpCommand(command('help', '', world), program.name()).helpGroup(groups.program))
  return program
}

function addCommands(above: CliCommand, rows: readonly CommandRow[], world: World): void {
  above.hook('preSubcommand', (_, made) => loadCommand(made))
  for (const { name, group, description, examples, load, below } of rows) {
    const made = command(name, description, world).examples(...examples)
    if (group !== undefined) made.helpGroup(group)
    // Behind a command, too; its help refers to that of the program.
    for (const option of verbosityOptions(new Command()).options) made.addOption(option.hideHelp())
    made.lazy(async () => void (await load?.())?.(made, world))
    if (below !== undefined) addCommands(made, below, world)
    above.addCommand(made)
  }
}

/** Runs `muster` with the given arguments (without node and script); returns its exit code. */
export async function muster(options: {
  readonly argv: readonly string[]
  readonly context: CommandContext
}): Promise<number> {
  const { argv } = options
  const { context, follow } = programContext(options.context, {
    name: 'muster',
    commands: ['help', ...commandTable.map(({ name }) => name)],
  })
  let code: number = exitCodes.ok
  const done = (result: number): void => {
    code = result
  }
  try {
    const program = musterProgram({ context, done })
    follow(program)
    const [first, ...words] = argv
    if (first === completeWord) {
      return await complete({ program, words, context: options.context, sources: completionSources })
    }
    await program.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    const { reportFailure } = await import('../session/reportFailure.ts')
    return reportFailure(context, error)
  }
}
