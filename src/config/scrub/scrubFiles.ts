import { spoilsTree } from '../document/problems.ts'
import { readDocument } from '../document/readDocument.ts'
import { fileNames } from '../knownNames.ts'
import { type ConfigFile, type LoadResult, loadConfig } from '../load.ts'
import { parseYaml } from '../yaml.ts'
import { type Placeholders, placeholders } from './placeholders.ts'
import { scrubLines } from './scrubLines.ts'
import { scrubTree } from './scrubTree.ts'

/** Files fit to be shared, in the order given. */
export type ScrubbedFiles = {
  readonly texts: readonly string[]
  /** Whether validation finds the same in them, line by line. */
  readonly faithful: boolean
}

/** As deep as the reader of documents goes. */
const deepest = 64

/**
 * Replaces every scalar that is not a keyword or a number by a placeholder, the same one by the same, and removes
 * comments. Lines and structure stay; secrets and what may be pieces of them are [redacted].
 */
export function scrubFiles(given: {
  readonly files: readonly ConfigFile[]
  /** The operator's home, absolute. */
  readonly home: string
}): ScrubbedFiles {
  const { files, home } = given
  const words = placeholders()
  const texts = files.map((file) => scrubOne(file, words))
  const scrubbed = files.map((file, index) => ({ ...file, text: texts[index] ?? '' }))
  const [before, after] = [loadConfig({ files, home }), loadConfig({ files: scrubbed, home })]
  const faithful = files.every(
    ({ name }) => findingLines(before, name).join() === findingLines(after, name).join(),
  )
  return { texts, faithful }
}

function scrubOne(file: ConfigFile, words: Placeholders): string {
  const [mark = ''] = /^\ufeff?/.exec(file.text) ?? []
  const text = file.text.slice(mark.length)
  const { hidden } = readDocument({ name: file.name, text }, fileNames)
  const parsed = text.includes('\0') ? undefined : parseYaml(text, deepest)
  const isTree = parsed !== undefined && parsed.tooDeep === undefined && !parsed.problems.some(spoilsTree)
  return mark + (isTree ? scrubTree({ text, parsed, hidden }, words) : scrubLines({ text, hidden }, words))
}

/**
 * Returns line and code of every finding about a file, sorted. A well-known password counts as a weak one: that is
 * what scrubbing makes of it.
 */
export const findingLines = ({ diagnostics }: LoadResult, file: string): readonly string[] =>
  diagnostics
    .filter(({ span }) => span.file === file)
    .map(({ code, span }) => `${span.line} ${code === 'default-password' ? 'weak-password' : code}`)
    .sort()
