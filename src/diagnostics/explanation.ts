import { type Code, severities } from './codes.ts'
import type { Severity } from './diagnostic.ts'
import { readPage } from './page.ts'
import pages from './pages.json' with { type: 'json' }

/** Explanation of a finding, in addition to its own text. */
export type Explanation = {
  readonly code: Code
  readonly severity: Severity
  /** A few words without a full stop, for the list of findings. */
  readonly title: string
  /** Paragraphs of one line each. Names, values and commands are in backquotes. */
  readonly about: readonly string[]
  /** Language of the examples; default YAML. */
  readonly language?: string
  /** A whole small file with this finding; always together with `good`. */
  readonly bad?: string
  /** The same file, corrected. */
  readonly good?: string
  /** Shell commands that show the cause or fix it; comments are on lines of their own. */
  readonly commands?: string
}

// The compiler checks that docs/findings has a page for each code.
const texts: Readonly<Record<Code, string>> = pages

/** Titles of the two examples; the bad one of a note is not wrong. */
export const exampleTitles = (severity: Severity): { readonly bad: string; readonly good: string } =>
  severity === 'note' ? { bad: 'With this note', good: 'Without it' } : { bad: 'Wrong', good: 'Right' }

/** Returns the code below the line `LABEL:`, and the index of that line among the blocks. */
function codeBelow(label: string, blocks: readonly string[]) {
  const at = blocks.indexOf(`${label}:`)
  const [, language, text] = /^```(\w+)\n(.*)\n```$/s.exec(blocks[at + 1] ?? '') ?? []
  return at === -1 || language === undefined || text === undefined ? undefined : { at, language, text }
}

/** Reads the explanation from the finding's page in docs/findings. */
export function explanationOf(code: Code): Explanation {
  const severity = severities[code]
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
