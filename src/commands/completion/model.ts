import type { Command, Option } from 'commander'
import { type Completes, completesArgument, completesOption } from './completes.ts'

/** An option as a shell completes it; `value` is absent where it takes none. */
export type CompletedOption = {
  /** Such as `-y` and `--yes`. */
  readonly flags: readonly string[]
  readonly description: string
  readonly value?: Completes
}

export type CompletedArgument = {
  readonly name: string
  readonly completes: Completes
  readonly variadic: boolean
}

/** A command as a shell completes it. */
export type CompletedCommand = {
  /** The words that lead to it: `muster state export`. */
  readonly path: string
  readonly name: string
  readonly description: string
  readonly options: readonly CompletedOption[]
  readonly arguments: readonly CompletedArgument[]
  readonly commands: readonly CompletedCommand[]
}

function completedOption(option: Option, path: string): CompletedOption {
  const { short, long, description, required } = option
  const flags = [short, long].filter((flag) => flag !== undefined)
  // An optional value may as well be missing: what follows can be anything.
  return { flags, description, ...(required ? { value: completesOption(option, path) } : {}) }
}

/** What the shells complete of a program: everything that its --help shows. */
export function completionModel(command: Command, parents: readonly string[] = []): CompletedCommand {
  const help = command.createHelp()
  const words = [...parents, command.name()]
  const path = words.join(' ')
  const siblings = command.parent?.commands.map((one) => one.name()) ?? []
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
  return {
    path,
    name: command.name(),
    description: command.description(),
    options: options.map((option) => completedOption(option, path)),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      completes: completesArgument(argument, path, siblings),
      variadic: argument.variadic,
    })),
    commands: help.visibleCommands(command).map((one) => completionModel(one, words)),
  }
}

/** A command and all commands below it. */
export const allCommands = (command: CompletedCommand): readonly CompletedCommand[] => [
  command,
  ...command.commands.flatMap(allCommands),
]
