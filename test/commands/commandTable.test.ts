import { type Command, Help } from 'commander'
import { describe, expect, it } from 'vitest'
import { loadCommand } from '../../src/cli/cliCommand.ts'
import { musterProgram } from '../../src/commands/muster.ts'
import { commandContext } from '../config/commandContext.ts'

const program = musterProgram({ context: commandContext({}).context, done: () => {} })

const allCommands = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(allCommands),
]

describe('the command table', () => {
  it('has the options and arguments that the file of each command defines', async () => {
    const commands = allCommands(program).slice(1)
    expect(commands.length).toBeGreaterThan(40)
    for (const command of commands) {
      const shown = program.createHelp().subcommandTerm(command)
      await loadCommand(command)
      expect(shown).toBe(new Help().subcommandTerm(command))
    }
  })
})
