import { spoilsTree } from '../document/problems.ts'
import { readDocument } from '../document/readDocument.ts'
import { fileNames } from '../knownNames.ts'
import { type ConfigFile, type LoadResult, loadConfig } from '../load.ts'
import { parseYaml } from '../yaml.ts'
import { type Placeholders, placeholders } from './placeholders.ts'
import { scrubLines } from './scrubLines.ts'
import { scrubTree } from './scrubTree.ts'

/** Files that can be shared, in the given order. */
export type ScrubbedFiles = {
  readonly texts: readonly string[]
  /** True if validation has the same findings in the same lines. */
  readonly faithful: boolean
}

/** Depth limit, as in the file reader. */
const deepest = 64

/**
 * Replaces every scalar except keywords and numbers by a placeholder, equal ones by the same, and removes
 * comments. Lines and structure stay; secrets and possible pieces of them become [redacted].
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
 * Lists line and code of every finding in a file, sorted. A well-known password counts as a weak one, since
 * scrubbing replaces it by one.
 */
export const findingLines = ({ diagnostics }: LoadResult, file: string): readonly string[] =>
  diagnostics
    .filter(({ span }) => span.file === file)
    .map(({ code, span }) => `${span.line} ${code === 'default-password' ? 'weak-password' : code}`)
    .sort()
