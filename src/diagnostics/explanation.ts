import { type Code, catalogue } from './catalogue.ts'
import type { Severity } from './diagnostic.ts'
import { readPage } from './page.ts'
import pages from './pages.json' with { type: 'json' }

/** Explanation of a finding for a person, beyond the words of the finding itself. */
export type Explanation = {
  readonly code: Code
  readonly severity: Severity
  /** A few words without a full stop, as a list of findings shows them. */
  readonly title: string
  /** Paragraphs, each in one line. Names, values and commands stand in backquotes. */
  readonly about: readonly string[]
  /** Language of the examples; YAML unless told. */
  readonly language?: string
  /** A whole small file that makes this finding; comes together with `good`. */
  readonly bad?: string
  /** The same file, corrected. */
  readonly good?: string
  /** Shell commands that show the cause or fix it; a comment stands on a line of its own. */
  readonly commands?: string
}

// The compiler holds that docs/findings has a page for each code.
const texts: Readonly<Record<Code, string>> = pages

/** Titles of the two examples. There is nothing wrong with what a note is about. */
export const exampleTitles = (severity: Severity): { readonly bad: string; readonly good: string } =>
  severity === 'note' ? { bad: 'With this note', good: 'Without it' } : { bad: 'Wrong', good: 'Right' }

/** The code below the line `LABEL:`, and the place of that line among the blocks. */
function codeBelow(label: string, blocks: readonly string[]) {
  const at = blocks.indexOf(`${label}:`)
  const [, language, text] = /^```(\w+)\n(.*)\n```$/s.exec(blocks[at + 1] ?? '') ?? []
  return at === -1 || language === undefined || text === undefined ? undefined : { at, language, text }
}

/** The explanation of a finding, from its page in docs/findings. */
export function explanationOf(code: Code): Explanation {
  const { severity } = catalogue[code]
  const { title, blocks } = readPage(texts[code])
  const titles = exampleTitles(severity)
  const bad = codeBelow(titles.bad, blocks)
  const good = codeBelow(titles.good, blocks)
  const commands = codeBelow('Commands', blocks)
  return {
    code,
    severity,
    title,
    about: blocks.slice(0, bad?.at ?? commands?.at),
    ...(bad !== undefined && bad.language !== 'yaml' && { language: bad.language }),
    ...(bad !== undefined && { bad: bad.text }),
    ...(good !== undefined && { good: good.text }),
    ...(commands !== undefined && { commands: commands.text }),
  }
}
