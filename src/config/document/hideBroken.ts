import type { Span } from '../../diagnostics/diagnostic.ts'

const secretWord = /(?:pas|pwd|secret|token|credential|rest-api-users)[\w-]*["']?\s*[:=]?/i
/** What begins an option or a group: a name and its colon. Any other text may still be part of the value before it. */
const namedLine = /^[\s-]*["']?[\w.-]+["']?\s*:/
/** Brackets alone: what most often breaks a file, and no part of a password. */
const brackets = /^[\s{}[\],-]*[{}[\]][\s{}[\],-]*$/
const names = /(?<![\w.-])([\w.-]+)["']?\s*:/g

const restOfLine = Number.MAX_SAFE_INTEGER

const indentOf = (line: string): number => /^[\s-]*/.exec(line)?.[0].length ?? 0

const hiddenFrom = (file: string, line: number, column: number): Span => ({
  file,
  line,
  column,
  endLine: line,
  endColumn: restOfLine,
})

/** Where the first value starts that belongs to an unknown name, unless a group starts there: a host has one. */
function unknownValue(line: string, isKnown: (name: string) => boolean): number | undefined {
  for (const { 0: text, 1: name = '', index } of line.matchAll(names)) {
    const end = index + text.length
    const rest = line.slice(end).trimStart()
    if (!isKnown(name) && rest !== '' && !/^[{[&]/.test(rest)) return end
  }
  return undefined
}

/** Whether a quote that is opened in the text stays open at its end. */
function leavesQuoteOpen(text: string): boolean {
  const value = text.trim()
  const quote = value.charAt(0)
  if (quote !== '"' && quote !== "'") return false
  return value.length < 2 || value.indexOf(quote, 1) === -1
}

/**
 * What to hide in a text whose structure is not known, because it is not YAML. Errs on the side of hiding:
 * from each word that looks like a secret to the end of its line and all lines after it that are deeper or begin
 * with no name (all lines when it opens a quote), and the value of every name that `isKnown` does not know.
 */
export function hideBroken(file: string, text: string, isKnown: (name: string) => boolean): readonly Span[] {
  const hidden: Span[] = []
  let below: number | undefined
  let open = false
  for (const [index, line] of text.split('\n').entries()) {
    const number = index + 1
    if (!open && below !== undefined && indentOf(line) <= below && brackets.test(line)) continue
    if (open || (below !== undefined && (indentOf(line) > below || !namedLine.test(line)))) {
      hidden.push(hiddenFrom(file, number, 1))
      continue
    }
    below = undefined
    const found = secretWord.exec(line)
    const unknown = unknownValue(line, isKnown)
    if (unknown !== undefined) hidden.push(hiddenFrom(file, number, unknown + 1))
    if (found === null) continue
    const end = found.index + found[0].length
    hidden.push(hiddenFrom(file, number, end + 1))
    below = indentOf(line)
    open = leavesQuoteOpen(line.slice(end))
  }
  return hidden
}
