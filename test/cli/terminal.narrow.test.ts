import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/base/wrapping.ts'
import { withFoldedLines } from '../../src/cli/terminal.ts'
import { muster } from '../../src/commands/muster.ts'
import { allOptions } from '../../src/config/settings/options.ts'
import { severities } from '../../src/diagnostics/codes.ts'
import { commandContext } from '../config/commandContext.ts'
import { blocksOf, root } from '../support/pages.ts'

const widths = [80, 60] as const
const configs = join(root, 'test/fixtures/config')
const files = readdirSync(configs).filter((file) => file.endsWith('.yaml'))

/** A terminal of this width, and what it shows. */
function terminal(columns: number, env: Readonly<Record<string, string>> = {}) {
  let shown = ''
  const output = { write: (text: string) => (shown += text), isTTY: true, columns }
  const { context } = commandContext({ stdout: output, stderr: output, cwd: configs, env })
  return { context, shown: () => shown }
}

async function shownBy(argv: readonly string[], columns: number, env = {}): Promise<string> {
  const { context, shown } = terminal(columns, env)
  await muster({ argv, context })
  return stripVTControlCharacters(shown())
}

/** Lines of a source text in a finding are cut, not broken. */
const isExcerpt = (line: string): boolean => /^\s*\d* ?\|/.test(line)

const wordsOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => !isExcerpt(line))
    .flatMap((line) => line.trim().split(/\s+/))
    .filter((word) => word !== '')

/** Lines wider than the terminal; a single word, such as a path, stays whole. */
const wideLines = (text: string, width: number): readonly string[] =>
  text.split('\n').filter((line) => columnsOf(line) > width && /\S\s+\S/.test(line.trim()))

describe('on a terminal of 80 and of 60 columns', () => {
  it.each(files)('the findings of %s have no wider line and no broken word', async (file) => {
    const whole = wordsOf(await shownBy(['validate', file], 110))
    for (const width of widths) {
      const text = await shownBy(['validate', file], width)
      expect(wideLines(text, width)).toEqual([])
      expect(wordsOf(text)).toEqual(whole)
    }
  })

  it.each([
    [[]],
    ...[...Object.keys(severities), ...allOptions.map(({ name }) => name)].map((name) => [[name]]),
  ])('the explanation of %j has no wider line and no broken word', async (names) => {
    const whole = wordsOf(await shownBy(['explain', ...names], 110))
    for (const width of widths) {
      const text = await shownBy(['explain', ...names], width)
      expect(wideLines(text, width)).toEqual([])
      if (names.length > 0) expect(wordsOf(text)).toEqual(whole)
    }
  })

  it.each([
    [['instal']],
    [['plan', '--jsno', 'a']],
    [['plan', 'no-such-file.yaml']],
    [['exec', 'hosts.yaml', '--', '-x']],
    [['logs', '--since', 'yesterday']],
    [['plan', 'list.yaml', '--host', 'nobody*']],
  ])('the error of %j has no wider line and no broken word', async (argv) => {
    const whole = wordsOf(await shownBy(argv, 110))
    expect(whole.length).toBeGreaterThan(5)
    for (const width of widths) {
      const text = await shownBy(argv, width)
      expect(wideLines(text, width)).toEqual([])
      expect(wordsOf(text)).toEqual(whole)
    }
  })

  const goldens = [
    ...['cluster.txt', 'diff.txt'].map((file) => `test/fixtures/describe/${file}`),
    ...readdirSync(join(root, 'test/fixtures/describe'))
      .filter((file) => /^cluster\.origin\..*\.txt$/.test(file))
      .map((file) => `test/fixtures/describe/${file}`),
  ].map((file) => [file, readFileSync(join(root, file), 'utf8')] as const)
  const sessions = blocksOf('README.md').flatMap(({ language, text }) =>
    language === 'console' ? [['the session of the README', text] as const] : [],
  )

  it.each([...goldens, ...sessions])('%s has no wider line and no broken word', (_, golden) => {
    for (const width of widths) {
      const { context, shown } = terminal(width)
      const { stdout } = withFoldedLines(context)
      for (const line of golden.split('\n')) stdout.write(`${line}\n`)
      expect(wideLines(shown(), width)).toEqual([])
      expect(wordsOf(shown())).toEqual(wordsOf(golden))
    }
  })
})
