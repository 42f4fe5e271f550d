import { columnsOf, wrap } from '../../base/wrapping.ts'
import { paint } from '../../output/paint.ts'

/** What an example does, and its command line for a shell. */
export type Example = readonly [does: string, line: string]

/** Paragraphs at the end of a help; a function lays out lines that must not become one paragraph. */
export type HelpNote = string | ((width: number) => readonly string[])

export type HelpItem = { readonly term: string; readonly text: string }

/** Help of one command as data, for the screen and for a manual page. */
export type HelpPage = {
  /** Words that select the command, such as `muster users rotate`. */
  readonly path: string
  readonly usage: string
  readonly description: string
  /** Arguments, options and commands, each list below its title. */
  readonly lists: readonly { readonly title: string; readonly items: readonly HelpItem[] }[]
  /** Flags of the commands above, which their help explains. */
  readonly globals: { readonly path: string; readonly flags: readonly string[] } | undefined
  readonly notes: readonly HelpNote[]
  readonly examples: readonly Example[]
}

type Layout = { readonly width: number; readonly colour: boolean }

/** Writes the help of a command; no line is wider than `width`, and none breaks in a word. */
export function helpText(page: HelpPage, { width, colour }: Layout): string {
  const { bold, dim } = paint(colour)
  const usage = wrap(`${page.path} ${page.usage}`, { width, first: 'Usage: ', rest: ' '.repeat(9) })
  const column = termColumn(page, width)
  const globals = page.globals && [
    bold(`Global options, explained by \`${page.globals.path} --help\`:`),
    ...wrap(page.globals.flags.join(' '), { width, first: '  ', rest: '  ' }),
  ]
  const notes = page.notes.flatMap((note) =>
    typeof note === 'string' ? wrap(note, { width, first: '', rest: '' }) : note(width),
  )
  const examples = page.examples.flatMap(([does, line]) => [
    ...wrap(does, { width, first: '  # ', rest: '  # ' }).map(dim),
    ...commandLines(line, width),
  ])
  const parts = [
    usage.map((line, index) => (index === 0 ? line.replace('Usage:', bold('Usage:')) : line)),
    wrap(page.description, { width, first: '', rest: '' }),
    ...page.lists.map(({ title, items }) => [bold(`${title}:`), ...itemLines(items, { width, column })]),
    globals ?? [],
    notes,
    examples.length === 0 ? [] : [bold('Examples:'), ...examples],
  ]
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

/** Returns the columns for the terms of all lists: at most two fifths of the width. */
function termColumn({ lists }: HelpPage, width: number): number {
  const widths = lists.flatMap(({ items }) => items.map(({ term }) => columnsOf(term)))
  return Math.max(0, ...widths.filter((one) => one <= width * 0.4))
}

/** Writes terms in a column; a wider one has its text below it. */
function itemLines(
  items: readonly HelpItem[],
  { width, column }: { readonly width: number; readonly column: number },
): readonly string[] {
  const rest = ' '.repeat(column + 4)
  return items.flatMap(({ term, text }) => {
    if (columnsOf(term) > column)
      return [
        ...wrap(term, { width, first: '  ', rest: '    ' }),
        ...wrap(text, { width, first: rest, rest }),
      ]
    return wrap(text, { width, first: `  ${term.padEnd(column)}  `, rest })
  })
}

/** Stands between an option and its value, which stay on one line. */
const fixedSpace = '\u00a0'

/** Breaks a command line as a shell reads it, with a backslash at the end of all lines but the last. */
export function commandLines(line: string, width: number): readonly string[] {
  const together = line.replaceAll(/(--[\w-]+) (?!-)/g, `$1${fixedSpace}`)
  const lines = wrap(together, { width: width - 2, first: '  ', rest: '      ' })
  return lines.map((one, index) => {
    const words = one.replaceAll(fixedSpace, ' ')
    return index < lines.length - 1 ? `${words} \\` : words
  })
}
