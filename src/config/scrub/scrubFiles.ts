import { spoilsTree } from '../document/problems.ts'
import type { ConfigFile } from '../load.ts'
import { parseYaml } from '../yaml.ts'
import { byLines } from './byLines.ts'
import { byTree } from './byTree.ts'
import { distanceOf, findingLines } from './findingLines.ts'
import { type Pseudonyms, pseudonyms } from './pseudonyms.ts'
import { rememberingLoad, type Work } from './work.ts'

/** Files fit to be shared, in the order given. */
export type ScrubbedFiles = {
  readonly texts: readonly string[]
  /** Whether validation finds the same in them, line by line. */
  readonly faithful: boolean
}

/** As deep as the reader of documents goes. */
const deepest = 64

/** Scrubs one file; `names` learns the names of it. */
function scrubOne(work: Work, names: Pseudonyms): string {
  const { file, load } = work
  const parsed = file.text.includes('\0') ? undefined : parseYaml(file.text, deepest)
  if (parsed === undefined || parsed.tooDeep !== undefined || parsed.problems.some(spoilsTree)) {
    return byLines(work, names)
  }
  const findings = (text: string): readonly string[] => findingLines(load([{ ...file, text }]), file.name)
  const missed = (text: string): number => distanceOf(findings(file.text), findings(text))
  const treeNames = pseudonyms(names)
  const tree = byTree(work, parsed, treeNames)
  const lineNames = pseudonyms(names)
  const lines = missed(tree) === 0 ? tree : byLines(work, lineNames)
  const isBetter = missed(lines) < missed(tree)
  if (isBetter) lineNames.keep()
  else treeNames.keep()
  return isBetter ? lines : tree
}

/**
 * Makes files fit to be shared: secrets and what may be pieces of them are [redacted], comments are gone, and
 * every name, address and path is replaced, the same one by the same. Lines, structure and mistakes stay.
 */
export function scrubFiles(given: {
  readonly files: readonly ConfigFile[]
  /** The operator's home, absolute. */
  readonly home: string
}): ScrubbedFiles {
  const { home } = given
  const mark = /^\ufeff/
  const files = given.files.map((file) => ({ ...file, text: file.text.replace(mark, '') }))
  const load = rememberingLoad(home)
  const whole = load(files)
  const names = pseudonyms()
  const texts = files.map((file) => scrubOne({ file, whole, load, home }, names))
  const again = load(files.map((file, index) => ({ ...file, text: texts[index] ?? '' })))
  const faithful = files.every(
    ({ name }) => distanceOf(findingLines(whole, name), findingLines(again, name)) === 0,
  )
  const marks = given.files.map(({ text }) => mark.exec(text)?.[0] ?? '')
  return { texts: texts.map((text, index) => `${marks[index]}${text}`), faithful }
}
