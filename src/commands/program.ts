import { type Command, CommanderError } from 'commander'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { helpCommand, helpFooter, versionCommand } from './cliCommand.ts'
import { complete, completeWord } from './completion/complete.ts'
import { cert } from './definitions/cert.ts'
import { config } from './definitions/config.ts'
import { command, type Definition, type World } from './definitions/definition.ts'
import { deployment } from './definitions/deployment.ts'
import { diag } from './definitions/diag.ts'
import { explain } from './definitions/explain.ts'
import { ini } from './definitions/ini.ts'
import { init } from './definitions/init.ts'
import { look } from './definitions/look.ts'
import { reference } from './definitions/reference.ts'
import { rollback } from './definitions/rollback.ts'
import { state } from './definitions/state.ts'
import { trust } from './definitions/trust.ts'
import { upgrade } from './definitions/upgrade.ts'
import { users } from './definitions/users.ts'
import { validate } from './definitions/validate.ts'

const exitCodeHelp =
  'Exit codes: 0 done or clean, 1 failed or findings, 2 changes pending, 3 could not run or wrong usage, ' +
  '4 some hosts unreachable, 5 locked, 130 interrupted.'

/** Every command, in the order of the help. */
const definitions: readonly Definition[] = [
  init,
  validate,
  config,
  explain,
  ini,
  trust,
  look,
  deployment,
  upgrade,
  rollback,
  users,
  cert,
  state,
  diag,
  reference,
]

/** The program with all its commands; nothing runs yet. */
export function musterProgram(world: World): Command {
  const { context } = world
  const description = 'Deploys and manages the REST APIs of a database cluster from one YAML file.'
  const program = command('muster', description, world)
    .version(context.version, '-V, --version', 'print the version')
    .addHelpText('after', () => helpFooter([exitCodeHelp], context.stdout.columns))
    // An option belongs to the command before it: `config diff` has some that `config` has, too.
    .enablePositionalOptions()
  for (const made of definitions.flatMap((define) => define(world))) program.addCommand(made)
  return program
    .addCommand(helpCommand(command('help', '', world)))
    .addCommand(versionCommand(command('version', '', world)))
}

/** Runs `muster` with the given arguments (without node and script) and says with which code to exit. */
export async function muster(options: {
  readonly argv: readonly string[]
  readonly context: CommandContext
}): Promise<ExitCode> {
  const { argv, context } = options
  let code: ExitCode = exitCodes.ok
  const done = (result: ExitCode): void => {
    code = result
  }
  try {
    const program = musterProgram({ context, done })
    const [first, ...words] = argv
    if (first === completeWord) return await complete({ program, words, context })
    await program.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    const { showFailure } = await import('./showFailure.ts')
    return showFailure(context, error)
  }
}
