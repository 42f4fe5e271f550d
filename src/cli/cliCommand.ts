import { Command, type ErrorOptions, type Help } from 'commander'
import { listOf } from '../base/words.ts'
import { wrap } from '../base/wrapping.ts'
import { nearest } from '../diagnostics/nearest.ts'

/** Command whose usage errors suggest similar names and its own help. */
export class CliCommand extends Command {
  #line: string | undefined
  #define: (() => Promise<void>) | undefined

  constructor(name?: string) {
    super(name)
    this.showSuggestionAfterError(false)
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name)
  }

  /** Defers the definition until the command is used; `usage` is its line in the help above it. */
  lazy({ usage, define }: { readonly usage: string; readonly define?: () => Promise<void> }): this {
    this.#line = `${this.name()} ${usage}`.trimEnd()
    this.#define = define
    return this
  }

  /** Runs a deferred definition, once. */
  async load(): Promise<void> {
    const define = this.#define
    this.#define = undefined
    await define?.()
  }

  override createHelp(): Help {
    const help = super.createHelp()
    const usual = help.subcommandTerm.bind(help)
    help.subcommandTerm = (one) => (one instanceof CliCommand ? one.#line : undefined) ?? usual(one)
    return help
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

/** Returns the words that select a command, such as `muster users rotate`. */
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`

/** Removes the value of an unknown option, which may be the password of a misspelt one. */
const withoutValue = (text: string): string =>
  text.replace(/(unknown option '(?:--[^'=]*|-[^'-]))[^\n]*'/s, "$1'")

/** Wraps paragraphs for the end of a help, at 100 columns where the output is no terminal. */
export const helpFooter = (paragraphs: readonly string[], columns = 100): string =>
  ['', ...paragraphs.flatMap((text) => wrap(text, { width: columns, first: '', rest: '' }))].join('\n')

/** Runs the deferred definition of a command that has one. */
export const loadCommand = async (made: Command): Promise<void> => {
  if (made instanceof CliCommand) await made.load()
}

/** Defines the command that shows the help of the others. */
export const helpCommand = (made: Command): Command =>
  made
    .description('show the help of a command')
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

/** Defines the command that prints the version. */
export const versionCommand = (made: Command): Command =>
  made.description('print the version').action(() => showVersion(made))

/** Prints the version of the program that a command belongs to. */
export function showVersion({ parent }: Command): void {
  parent?.configureOutput().writeOut?.(`${parent.version()}\n`)
}
