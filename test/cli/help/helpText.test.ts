import { describe, expect, it } from 'vitest'
import { helpText } from '../../../src/cli/help/helpText.ts'
import { allCommands, loadedPrograms } from './programs.ts'

const pages = (await loadedPrograms())
  .flatMap(allCommands)
  .map((command) => command.helpPage())
  .map((page) => [page.path, page] as const)

/** Words of a text in their order, without the backslash at which a command line goes on and the mark of a comment. */
const wordsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/ \\$/gm, '')
    .split(/\s+/)
    .filter((word) => word !== '#')

/** Splits a command line as a shell does that has only words, single quotes and pipes. */
const shellWords = (line: string): readonly string[] =>
  [...line.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''))

/** Arguments of our program in an example: what comes before and after it belongs to the shell. */
const argumentsOf = (line: string): readonly string[] => {
  const own = /^(?:echo 'source <\()?(?:muster|tapi) ([^>|)&]*)/.exec(line)?.[1] ?? ''
  return shellWords(own)
}

describe('the help of a command', () => {
  it('is tested for all commands of both programs', () => {
    expect(pages.length).toBeGreaterThan(95)
  })

  it.each(pages)('of %s has no wider line than 80 or 60 columns, and breaks no word', (_, page) => {
    const whole = wordsOf(helpText(page, { width: 10_000, colour: false }))
    for (const width of [80, 60]) {
      const text = helpText(page, { width, colour: false })
      expect(text.split('\n').filter((line) => line.length > width)).toEqual([])
      expect(wordsOf(text)).toEqual(whole)
    }
  })

  it.each(pages)('of %s has one paragraph in each note', (_, { notes }) => {
    for (const note of notes) if (typeof note === 'string') expect(note).not.toContain('\n')
  })

  it('names --host before --limit', () => {
    const page = pages.find(([path]) => path === 'muster status')?.[1]
    const terms = page?.lists.flatMap(({ items }) => items.map(({ term }) => term))
    expect(terms).toContain('--host, --limit <glob>')
  })

  it.each(pages)('of %s has two examples', (path, { examples }) => {
    expect(examples.length).toBeGreaterThanOrEqual(2)
    expect(new Set(examples.map(([, line]) => line)).size).toBe(examples.length)
    const [program = ''] = path.split(' ')
    for (const [does, line] of examples) {
      expect(does).toMatch(/^[A-Z].*[^.]$/)
      expect(line).toMatch(new RegExp(`^(?:echo 'source <\\()?${program} `))
    }
  })

  it.each(pages)('of %s has only examples that its own parser takes', async (path, { examples }) => {
    for (const [, line] of examples) {
      const programs = await loadedPrograms()
      const program = programs.find((one) => one.name() === path.split(' ')[0])
      let reached: string | undefined
      for (const command of program === undefined ? [] : allCommands(program)) {
        if (command.commands.length > 0 && command.registeredArguments.length === 0) continue
        command.action(() => {
          reached = command.helpPage().path
        })
      }
      await program?.parseAsync([...argumentsOf(line)], { from: 'user' })
      // An example of a group or of the program is a command below it.
      expect(`${reached} `, line).toContain(`${path} `)
    }
  })

  it('goes on with a backslash where a command line is too long', () => {
    const page = {
      path: 'muster plan',
      usage: '',
      description: '',
      lists: [],
      globals: undefined,
      notes: [],
      examples: [['Plan', "muster plan --host db1,db2 --service 'eu*' --out tuesday.plan"]],
    } as const
    expect(helpText(page, { width: 40, colour: false })).toContain(
      "  muster plan --host db1,db2 \\\n      --service 'eu*' \\\n      --out tuesday.plan\n",
    )
  })

  it('has bold titles and dim comments in colour', () => {
    const [, page] = pages.find(([path]) => path === 'muster plan') ?? pages[0] ?? []
    if (page === undefined) throw new Error('there is no page')
    const text = helpText(page, { width: 80, colour: true })
    expect(text).toContain('\u001b[1mOptions:\u001b[22m\n')
    expect(text).toContain('\u001b[2m  # Show the changes of all hosts\u001b[22m\n')
  })
})
