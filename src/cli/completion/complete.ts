import type { Command, Option } from 'commander'
import { loadCommand } from '../cliCommand.ts'
import type { CommandContext } from '../context.ts'
import { type ExitCode, exitCodes } from '../exitCodes.ts'
import { type Candidate, type CompletionRequest, type Sources, type Values, valuesOf } from './values.ts'

/** First argument of a call that completes the others, the last of which is being typed. */
export const completeWord = '__complete'

/** Point of a command line at which something is being typed. */
type Place = {
  readonly command: Command
  /** Arguments of the command so far. */
  readonly args: readonly string[]
  /** Option whose value is being typed. */
  readonly waiting: Option | undefined
  /** Set behind `--`, where nothing is an option. */
  readonly literal: boolean
}

type Around = Omit<CompletionRequest, 'typed' | 'prefix'>

/**
 * Prints the candidates of the last word: a line `word<TAB>description` for each, and a last line with the directive:
 * `:files` adds files, `:nospace` adds no space behind the word, `:words` does neither. Reads local files only, and
 * prints nothing on errors.
 */
export async function complete(options: {
  readonly program: Command
  readonly words: readonly string[]
  readonly context: CommandContext
  /** Sources of this program's own arguments and options. */
  readonly sources?: Sources
}): Promise<ExitCode> {
  const { program, words, context, sources = {} } = options
  try {
    const place = await placeOf(program, words.slice(0, -1))
    const asked = { command: place.command, args: place.args, context, sources }
    const { candidates, directive } = await valuesAt(place, words.at(-1) ?? '', asked)
    const lines = candidates.map(({ word, description = '' }) => `${word}\t${description}\n`)
    context.stdout.write(`${lines.join('')}:${directive}\n`)
    return exitCodes.ok
  } catch {
    return exitCodes.failed
  }
}

/** Finds the command that the words lead to, and what they leave open there. */
async function placeOf(program: Command, words: readonly string[]): Promise<Place> {
  let command = program
  let waiting: Option | undefined
  let literal = false
  const args: string[] = []
  for (const word of words) {
    if (waiting !== undefined) {
      waiting = undefined
    } else if (!literal && word === '--') {
      literal = true
    } else if (!literal && word.startsWith('-')) {
      waiting = optionWithValue(command, word)
    } else {
      const isFirst = args.length === 0 && !literal
      const below = isFirst ? commandsOf(command).find((one) => one.name() === word) : undefined
      if (below === undefined) args.push(word)
      else await loadCommand(below)
      command = below ?? command
    }
  }
  return { command, args, waiting, literal }
}

function valuesAt(place: Place, typed: string, asked: Around): Promise<Values> | Values {
  const { command, waiting, literal } = place
  if (waiting !== undefined) return valuesOf(waiting, { ...asked, typed, prefix: '' })
  if (literal || !typed.startsWith('-')) return argumentValues(place, typed, asked)
  const [, flag, value = ''] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? []
  if (flag === undefined) return { candidates: optionsOf(command).flatMap(flagsOf), directive: 'words' }
  const option = optionWithValue(command, flag)
  if (option === undefined) return { candidates: [], directive: 'words' }
  return valuesOf(option, { ...asked, typed: value, prefix: `${flag}=` })
}

/** Values of the next argument, and the commands below where it would be the first. */
async function argumentValues(place: Place, typed: string, asked: Around): Promise<Values> {
  const { command, args, literal } = place
  const commands = args.length > 0 || literal ? [] : commandsOf(command)
  const below = commands.map((one) => ({ word: one.name(), description: one.description() }))
  const { registeredArguments: known } = command
  const argument = known[args.length] ?? known.findLast(({ variadic }) => variadic)
  if (argument === undefined) return { candidates: below, directive: 'words' }
  const { candidates, directive } = await valuesOf(argument, { ...asked, typed, prefix: '' })
  return { candidates: [...below, ...candidates], directive }
}

/** Commands below this one that its help shows. */
const commandsOf = (command: Command): readonly Command[] => command.createHelp().visibleCommands(command)

/** Options that the help of a command shows. */
function optionsOf(command: Command): readonly Option[] {
  const help = command.createHelp()
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
}

/** The option of this flag, unless its value may be missing: what follows can then be anything. */
const optionWithValue = (command: Command, flag: string): Option | undefined =>
  optionsOf(command).find(({ required, short, long }) => required && (flag === short || flag === long))

const flagsOf = ({ short, long, description }: Option): readonly Candidate[] =>
  [short, long].flatMap((flag) => (flag === undefined ? [] : [{ word: flag, description }]))
