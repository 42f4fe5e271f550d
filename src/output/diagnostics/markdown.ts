import { counted } from '../../base/words.ts'
import type { Diagnostic, Severity } from '../../diagnostics/diagnostic.ts'
import { boundedLines, codeSpan, fenced, htmlText, maxComment } from '../markdown.ts'
import type { Report } from './portable.ts'

const severities: readonly Severity[] = ['error', 'warning', 'note']

/** Characters for the line that counts findings without their text. */
const reserve = 600

/** Characters below which a finding is only counted. */
const smallestBlock = 600

/**
 * Writes a report as Markdown for a comment on GitHub or GitLab: the numbers, and each finding folded. All text of others
 * is code. Findings that do not fit are counted.
 */
export function diagnosticsMarkdown({ findings, silenced, command = 'muster validate' }: Report): string {
  const counts = severities.flatMap((severity) => {
    const count = findings.filter((one) => one.severity === severity).length
    return count === 0 ? [] : [counted(count, severity)]
  })
  const quiet = silenced.length === 0 ? '' : ` (${silenced.length} silenced)`
  const head = `**${codeSpan(command)}: ${counts.length === 0 ? 'no findings' : counts.join(', ')}**${quiet}`
  const blocks = [head]
  let left = maxComment - head.length - reserve
  for (const [index, finding] of findings.entries()) {
    const block = folded(finding, left)
    if (left < smallestBlock || block.length > left) {
      blocks.push(`**${counted(findings.length - index, 'more finding')}**: run ${codeSpan(command)}.`)
      break
    }
    blocks.push(block)
    left -= block.length + 2
  }
  return `${blocks.join('\n\n')}\n`
}

function folded({ severity, code, message, why, fix, span }: Diagnostic, room: number): string {
  const place = `${span.file}:${span.line}`
  const brief = message.length > 160 ? `${message.slice(0, 160)}…` : message
  const summary = `<details><summary>${severity} <code>${htmlText(code)}</code> <code>${htmlText(brief)}</code></summary>`
  const lines = [place, message, `why: ${why}`, `fix: ${fix}`]
  const rest = room - summary.length - '\n\n\n\n</details>'.length
  return `${summary}\n\n${fenced('text', boundedLines(lines, rest))}\n\n</details>`
}
