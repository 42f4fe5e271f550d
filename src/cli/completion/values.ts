import type { Argument, Command, Option } from 'commander'
import type { CommandContext } from '../context.ts'

/** A word that can be typed, and what it stands for. */
export type Candidate = { readonly word: string; readonly description?: string }

/** Candidates at one place; `directive` says how the shell continues. */
export type Values = {
  readonly candidates: readonly Candidate[]
  readonly directive: 'files' | 'nospace' | 'words'
}

/** Input of a source of values. */
export type CompletionRequest = {
  readonly command: Command
  /** Arguments of the command so far. */
  readonly args: readonly string[]
  /** Value as far as it is typed. */
  readonly typed: string
  /** Text before the value in the same word, such as `--set=`. */
  readonly prefix: string
  readonly context: CommandContext
  readonly sources: Sources
}

export type Source = (asked: CompletionRequest) => Promise<Values> | Values

/**
 * Sources of one program, by the name of an argument or an option's value, or, before that, by place: `muster --host`,
 * `muster explain name`.
 */
export type Sources = Readonly<Record<string, Source>>

export const words = (list: Iterable<string>): Values => ({
  candidates: [...new Set(list)].map((word) => ({ word })),
  directive: 'words',
})

/** Returns false for a name in which a shell would read more than a word. */
export const isPlain = (name: string): boolean => /^[\w.-]+$/.test(name)

const files: Source = () => ({ candidates: [], directive: 'files' })
export const noValues: Source = () => words([])

/** Sources by the names that every program gives its arguments and the values of its options. */
const common: Sources = { file: files, path: files, archive: files, before: files, after: files }

/** Returns where the values of an argument or an option come from; undefined where they can be anything. */
export function sourceOf(place: Argument | Option, command: Command, sources: Sources): Source | undefined {
  const { argChoices } = place
  if (argChoices !== undefined) return () => words(argChoices)
  const path = pathOf(command)
  const isArgument = !('flags' in place)
  const name = isArgument ? place.name() : (/<([^>.]+)/.exec(place.flags)?.[1] ?? '')
  if (isArgument && name === 'command')
    return () => words(command.parent?.commands.map((one) => one.name()) ?? [])
  const [program] = path.split(' ')
  return sources[isArgument ? `${path} ${name}` : `${program} ${place.long}`] ?? sources[name] ?? common[name]
}

/** Returns the values of an argument or an option, each behind the prefix. */
export async function valuesOf(place: Argument | Option, asked: CompletionRequest): Promise<Values> {
  const { candidates, directive } = await (sourceOf(place, asked.command, asked.sources) ?? noValues)(asked)
  return { candidates: candidates.map((one) => ({ ...one, word: asked.prefix + one.word })), directive }
}

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
