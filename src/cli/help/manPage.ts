import { capitalized, withDot } from '../../base/words.ts'
import { CliCommand, loadCommand } from '../cliCommand.ts'
import { commandLines, type Example, type HelpItem, type HelpPage } from './helpText.ts'

/** Escapes text for roff (groff_char(7)): a hyphen stays one that can be copied, and no line is a request. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('"', '\\(dq')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha')
    .replaceAll('…', '...')
    .replaceAll(/^\./gm, '\\&.')

const bold = (text: string): string => `\\fB${roff(text)}\\fR`

/** Writes a term with what stands for a value in italics: `--host <glob>`. */
const term = (text: string): string =>
  roff(text)
    .split(/(<[^>]*>|\[[^\]]*\])/)
    .map((part, index) =>
      index % 2 === 1 ? `\\fI${part}\\fR` : part.trim() === '' ? part : `\\fB${part}\\fR`,
    )
    .join('')

const itemLines = ({ term: name, text }: HelpItem): readonly string[] => ['.TP', term(name), roff(text)]

const exampleLines = ([does, line]: Example): readonly string[] => [
  '.PP',
  `${roff(does)}:`,
  '.PP',
  '.RS 2',
  '.nf',
  ...commandLines(line, noteWidth).map((one) => roff(one.slice(2))),
  '.fi',
  '.RE',
]

/** Columns of lines that stay as they are, within the margins of a manual page on 80 columns. */
const noteWidth = 66

const sentence = (text: string): string => withDot(capitalized(text))

function noteLines(page: HelpPage): readonly string[] {
  return page.notes.flatMap((note) => {
    if (typeof note === 'string') return ['.PP', roff(note)]
    return ['.PP', '.nf', ...note(noteWidth).map(roff), '.fi']
  })
}

/** Puts groups of commands as subsections below one heading. */
function listHeading(page: HelpPage, title: string, heading: (title: string) => string): readonly string[] {
  if (['Arguments', 'Options', 'Commands'].includes(title)) return [heading(title)]
  const subsection = `.SS ${roff(title)}`
  return page.lists[0]?.title === title ? [heading('Commands'), subsection] : [subsection]
}

/** Writes the lists, notes and examples of a command; `heading` begins each part. */
const partsOf = (page: HelpPage, heading: (title: string) => string): readonly string[] => [
  ...page.lists.flatMap(({ title, items }) => [
    ...listHeading(page, title, heading),
    ...items.flatMap(itemLines),
  ]),
  ...(page.globals === undefined
    ? []
    : [
        heading('Global options'),
        `${page.globals.flags.map(bold).join(', ')}: see`,
        `.BR ${roff(page.globals.path)} (1).`,
      ]),
  ...(page.notes.length === 0 ? [] : [heading('Notes'), ...noteLines(page)]),
  ...(page.examples.length === 0 ? [] : [heading('Examples'), ...page.examples.flatMap(exampleLines)]),
]

/** Name of the page of a command, such as `muster-users`. */
const manName = (path: string): string => path.split(' ').slice(0, 2).join('-')

/**
 * Returns the manual pages of a program (man(7), section 1) by file name: its own, and one for each of its commands with
 * those below it. Runs all deferred definitions.
 */
export async function manPages(
  program: CliCommand,
  version: string,
): Promise<readonly (readonly [file: string, text: string])[]> {
  const commands = await definedBelow(program)
  const names = [program, ...commands].map((one) => manName(one.helpPage().path))
  const [own = ''] = names
  const ofCommands = commands.map(async (command) => {
    const page = command.helpPage()
    const below = (await definedBelow(command)).map((one) => one.helpPage())
    return [`${manName(page.path)}.1`, manPage(page, { version, below, seeAlso: [own] })] as const
  })
  const ofProgram = manPage(program.helpPage(), { version, below: [], seeAlso: names.slice(1) })
  return [[`${own}.1`, ofProgram], ...(await Promise.all(ofCommands))]
}

async function definedBelow(command: CliCommand): Promise<readonly CliCommand[]> {
  await loadCommand(command)
  const below = command.commands.flatMap((one) => (one instanceof CliCommand ? [one] : []))
  for (const one of below) await loadCommand(one)
  return below
}

function manPage(
  page: HelpPage,
  options: {
    readonly version: string
    readonly below: readonly HelpPage[]
    readonly seeAlso: readonly string[]
  },
): string {
  const { version, below, seeAlso } = options
  const name = manName(page.path)
  return `${[
    `.TH "${name.toUpperCase().replaceAll('-', '\\-')}" "1" "" "muster ${version}" "User Commands"`,
    '.nh',
    '.ad l',
    '.SH NAME',
    `${roff(name)} \\- ${roff(page.description.charAt(0).toLowerCase() + page.description.slice(1).replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    ...[page, ...below].flatMap(({ path, usage }, index) => [
      ...(index === 0 ? [] : ['.br']),
      `${bold(path)} ${term(usage)}`,
    ]),
    '.SH DESCRIPTION',
    roff(sentence(page.description)),
    ...partsOf(page, (title) => `.SH ${roff(title.toUpperCase())}`),
    ...below.flatMap((one) => [
      `.SH ${roff(one.path)}`,
      roff(sentence(one.description)),
      ...partsOf({ ...one, globals: undefined }, (title) => `.SS ${roff(title)}`),
    ]),
    '.SH SEE ALSO',
    ...seeAlso.map((one, index) => `.BR ${roff(one)} (1)${index < seeAlso.length - 1 ? ',' : ''}`),
  ].join('\n')}\n`
}
