import { Command, type ErrorOptions, Help, type Option } from 'commander'
import { listOf } from '../base/words.ts'
import { nearest } from '../diagnostics/nearest.ts'
import { type Example, type HelpNote, type HelpPage, helpText } from './help/helpText.ts'

/** Command that has examples and notes in its help, and whose usage errors suggest similar names. */
export class CliCommand extends Command {
  #define: (() => Promise<void>) | undefined
  #notes: readonly HelpNote[] = []
  #examples: readonly Example[] = []

  constructor(name?: string) {
    super(name)
    this.showSuggestionAfterError(false)
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name)
  }

  /** Defers the definition until the command is used. */
  lazy(define: () => Promise<void>): this {
    this.#define = define
    return this
  }

  /** Runs a deferred definition, once. */
  async load(): Promise<void> {
    const define = this.#define
    this.#define = undefined
    await define?.()
  }

  /** Adds examples to the help. */
  examples(...examples: readonly Example[]): this {
    this.#examples = [...this.#examples, ...examples]
    return this
  }

  /** Adds paragraphs to the end of the help. */
  note(...notes: readonly HelpNote[]): this {
    this.#notes = [...this.#notes, ...notes]
    return this
  }

  override createHelp(): Help {
    return Object.assign(new CliHelp(), this.configureHelp())
  }

  /** Returns the help as data. */
  helpPage(): HelpPage {
    const help = this.createHelp()
    const options = help.visibleOptions(this)
    const globals = help.visibleGlobalOptions(this).flatMap(({ long, short }) => long ?? short ?? [])
    const items = help.visibleArguments(this).map((argument) => ({
      term: help.argumentTerm(argument),
      text: help.argumentDescription(argument),
    }))
    const commands = help.groupItems([...this.commands], help.visibleCommands(this), (one) => one.helpGroup())
    return {
      path: pathOf(this),
      usage: this.usage(),
      description: help.commandDescription(this),
      lists: [
        { title: 'Arguments', items },
        ...[...commands].map(([title, group]) => ({
          title: title || 'Commands',
          items: group.map((one) => ({ term: one.name(), text: help.subcommandDescription(one) })),
        })),
        {
          title: 'Options',
          items: options.map((one) => ({ term: termOf(one), text: help.optionDescription(one) })),
        },
      ].filter((list) => list.items.length > 0),
      globals: globals.length === 0 ? undefined : { path: rootOf(this).name(), flags: globals },
      notes: this.#notes,
      examples: this.#examples,
    }
  }

  override error(message: string, options?: ErrorOptions): never {
    const meant = this.#suggestions(message, options?.code ?? '')
    const question = meant.length === 0 ? '' : `Did you mean ${listOf(meant, 'or')}? Otherwise see`
    const fix = `  fix: ${question || 'See'} \`${pathOf(this)} --help\`.`
    return super.error(`${withoutValue(message)}\n${fix}`, options)
  }

  #suggestions(message: string, code: string): readonly string[] {
    const [, word = ''] = /'([^'=]*)/.exec(message) ?? []
    switch (code) {
      case 'commander.unknownCommand':
        return this.#nearCommands(word)
      case 'commander.unknownOption': {
        const near = nearest(
          word.replace(/^--?/, ''),
          this.#longFlags().map((flag) => flag.slice(2)),
        )
        return near === undefined ? [] : [`--${near}`]
      }
      case 'commander.excessArguments': {
        // Programs that act on one host at a time often take its name as it stands.
        const name = this.args.at(-1) ?? ''
        const takesHost = this.#longFlags().includes('--host') && this.optsWithGlobals().host === undefined
        const isName = /^[A-Za-z0-9.:-]+$/.test(name) && !/\.ya?ml$/i.test(name)
        return takesHost && isName ? [`--host ${name}`] : []
      }
      default:
        return []
    }
  }

  /** Returns the similar command of this level, else those of this name in a group. */
  #nearCommands(word: string): readonly string[] {
    const commands = this.createHelp().visibleCommands(this)
    const near = nearest(
      word,
      commands.map((one) => one.name()),
    )
    if (near !== undefined) return [`\`${pathOf(this)} ${near}\``]
    return commands
      .flatMap((one) => one.commands)
      .filter((one) => one.name() === word)
      .map((one) => `\`${pathOf(one)}\``)
  }

  #longFlags(): readonly string[] {
    const help = this.createHelp()
    const own = [...help.visibleOptions(this), ...help.visibleGlobalOptions(this)]
    return own.flatMap(({ long }) => long ?? [])
  }
}

/** Lays out the help of a `CliCommand` by `helpText`. */
class CliHelp extends Help {
  #colour = false

  override prepareContext(context: Parameters<Help['prepareContext']>[0]): void {
    super.prepareContext(context)
    this.#colour = context.outputHasColors === true
  }

  /** Returns the options of the program: those of a group are not for the commands below it. */
  override visibleGlobalOptions(command: Command): ReturnType<Help['visibleGlobalOptions']> {
    if (command.parent === null) return []
    return rootOf(command).options.filter(({ hidden, long }) => !hidden && long !== '--version')
  }

  override formatHelp(command: Command, help: Help): string {
    if (!(command instanceof CliCommand)) return super.formatHelp(command, help)
    return helpText(command.helpPage(), { width: this.helpWidth ?? unknownWidth, colour: this.#colour })
  }
}

/** Columns of a help that no terminal shows. */
const unknownWidth = 80

/** Writes the usual one of two long names first; commander wants it last. */
const termOf = ({ flags }: Option): string => flags.replace(/^(--[\w-]+), (--[\w-]+)/, '$2, $1')

const rootOf = (command: Command): Command => (command.parent === null ? command : rootOf(command.parent))

/** Returns the words that select a command, such as `muster users rotate`. */
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`

/**
 * Removes the value of an unknown option, which may be the password of a misspelt one. Of short options only the dash
 * stays if there is more than one letter: commander has taken the known ones of `-qSECRET` away.
 */
const withoutValue = (text: string): string =>
  text.replace(
    /(unknown option ')(--[^'=]*|-[^'-](?='(?:\n|$)))?[^\n]*'/s,
    (_, before: string, name = '-…') => `${before}${name}'`,
  )

/** Runs the deferred definition of a command that has one. */
export const loadCommand = async (made: Command): Promise<void> => {
  if (made instanceof CliCommand) await made.load()
}

/** Defines the command that shows the help of the others. */
export const helpCommand = (made: CliCommand, program: string): CliCommand =>
  made
    .description('show the help of a command')
    .examples(['List the commands', `${program} help`], ['Explain one of them', `${program} help status`])
    .argument('[command...]', 'the command, such as users rotate (default: the program)')
    .action(async (words: readonly string[]) => {
      let shown: Command = made.parent ?? made
      for (const word of words) {
        const next = shown.commands.find((one) => one.name() === word)
        shown = next ?? shown.error(`error: unknown command '${word}'`, { code: 'commander.unknownCommand' })
        await loadCommand(shown)
      }
      shown.help()
    })
