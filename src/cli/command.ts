import { InvalidArgumentError, Option, type OutputConfiguration } from 'commander'
import { CliCommand } from './cliCommand.ts'
import type { CommandContext } from './context.ts'
import { colourOf } from './terminal.ts'

/** Environment of the commands of a program. */
export type World = {
  readonly context: CommandContext
  /** Takes the exit code of the command that ran: one of `exitCodes`, or that of a program in its place. */
  readonly done: (code: number) => void
}

/** Adds options, arguments, examples and the action to a command that has its name and description already. */
export type Define = (made: CliCommand, world: World) => unknown

/** Creates a command that writes to the streams of the context and throws on wrong usage. */
export function command(name: string, description: string, { context }: World): CliCommand {
  return new CliCommand(name)
    .description(description)
    .helpCommand(false)
    .exitOverride()
    .configureOutput(helpOutput(context))
}

/** Columns in which a help can be read with ease. */
const widestHelp = 100

/** Output of a program's help and usage errors. */
export const helpOutput = (context: CommandContext): OutputConfiguration => {
  const { stdout, stderr } = context
  const width = (): number => Math.max(40, Math.min(widestHelp, stdout.columns || 80))
  return {
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
    getOutHelpWidth: width,
    getErrHelpWidth: width,
    getOutHasColors: () => colourOf(context, stdout),
    getErrHasColors: () => false,
  }
}

/** Collects the values of an option that may be repeated, in the order given. */
export const collectValues = (value: string, before: string[] | undefined): string[] => [
  ...(before ?? []),
  value,
]

/** Makes an option that may be repeated, with one of these words each time. */
export const choicesOption = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, `${description}: ${choices.join(', ')}`).argParser(
    (value: string, before: string[] | undefined) => {
      if (choices.includes(value)) return collectValues(value, before)
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`)
    },
  )

/** Returns true where an option without a value was given; `name` is in camel case. */
export const flag = (made: { opts: () => Record<string, unknown> }, name: string): boolean =>
  made.opts()[name] === true

/** Keeps what stands behind `--` from the options and arguments of a command; returns these words after parsing. */
export function takeWords(made: CliCommand): () => readonly string[] {
  let words: readonly string[] = []
  const parse = made.parseOptions.bind(made)
  // commander drops the `--`.
  made.parseOptions = (argv) => {
    const at = argv.indexOf('--')
    words = at === -1 ? [] : argv.slice(at + 1)
    return parse(at === -1 ? argv : argv.slice(0, at))
  }
  return () => words
}
