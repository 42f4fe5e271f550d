import { CliCommand, loadCommand } from '../../../src/cli/cliCommand.ts'
import { musterProgram } from '../../../src/commands/muster.ts'
import { tapiProgram } from '../../../src/tapi/tapi.ts'
import { commandContext } from '../../config/commandContext.ts'

/** Returns new programs, with all commands defined. */
export async function loadedPrograms(): Promise<readonly CliCommand[]> {
  const { context } = commandContext({})
  const machine = { name: 'operator', addresses: [] }
  const programs = [
    musterProgram({ context, done: () => {} }),
    tapiProgram({ context, machine, done: () => {} }),
  ]
  for (const command of programs.flatMap(allCommands)) await loadCommand(command)
  return programs
}

/** Returns a command and all below it. */
export const allCommands = (command: CliCommand): readonly CliCommand[] => [
  command,
  ...command.commands.flatMap((one) => (one instanceof CliCommand ? allCommands(one) : [])),
]
