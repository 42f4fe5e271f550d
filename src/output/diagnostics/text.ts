import { styleText } from 'node:util'
import { maskInvisible } from '../../base/printable.ts'
import { counted, listOf } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'
import type { Diagnostic, Severity, Span } from '../../diagnostics/diagnostic.ts'
import { excerpt } from '../../diagnostics/excerpt.ts'
import type { SourceText } from '../../diagnostics/source.ts'

type TextOptions = {
  readonly diagnostics: readonly Diagnostic[]
  /** The texts for excerpts. */
  readonly sources: readonly SourceText[]
  readonly colour: boolean
  /** Columns of the terminal. */
  readonly width: number
  /** Number of silenced findings. */
  readonly silenced?: number
}

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string

const colours = { error: 'red', warning: 'yellow', note: 'cyan' } as const satisfies Record<Severity, string>

/** Makes text that may quote the file printable. */
const safe = (text: string): string => maskInvisible(text).replace(/[\t\n]/g, '\u00b7')

const place = ({ file, line, column }: Span): string => safe(`${file}:${line}:${column}`)

function excerptLines(finding: Diagnostic, options: TextOptions, paint: Paint): readonly string[] {
  const source = options.sources.find(({ name }) => name === finding.span.file)
  if (source === undefined) return []
  const margin = String(finding.span.line).length
  const shown = excerpt(source, { span: finding.span, width: options.width - margin - 6 })
  if (shown === undefined) return []
  const bar = paint('dim', '|')
  return [
    `  ${' '.repeat(margin)} ${bar}`,
    `  ${paint('dim', String(shown.line))} ${bar} ${shown.text}`,
    `  ${' '.repeat(margin)} ${bar} ${shown.caret.replace(/\^+/, (caret) => paint(colours[finding.severity], caret))}`,
  ]
}

function findingText(finding: Diagnostic, options: TextOptions, paint: Paint): string {
  const { severity, code, message, why, fix, related = [] } = finding
  const labelled = (label: string, text: string): readonly string[] => {
    const [first = '', ...rest] = wrap(safe(text), {
      width: options.width,
      first: `  ${label}: `,
      rest: ' '.repeat(label.length + 4),
    })
    return [first.replace(`  ${label}:`, `  ${paint('bold', `${label}:`)}`), ...rest]
  }
  return [
    `${paint('bold', place(finding.span))} ${paint(['bold', colours[severity]], severity)} ${paint('dim', code)}`,
    ...wrap(safe(message), { width: options.width, first: '  ', rest: '  ' }),
    ...excerptLines(finding, options, paint),
    ...labelled('why', why),
    ...labelled('fix', fix),
    ...related.map((other) => `  ${paint('dim', 'see:')} ${place(other.span)} ${safe(other.message)}`),
  ].join('\n')
}

function summary({ diagnostics, width, silenced = 0 }: TextOptions): string {
  const count = (severity: Severity): string[] => {
    const number = diagnostics.filter((finding) => finding.severity === severity).length
    return number === 0 ? [] : [counted(number, severity)]
  }
  const quiet = silenced === 0 ? [] : [`${silenced} silenced`]
  const counts = listOf([...count('error'), ...count('warning'), ...count('note'), ...quiet])
  const text = `${counts}. More about each: muster explain CODE`
  return wrap(text, { width, first: '', rest: '' }).join('\n')
}

/** Writes findings for a person, with excerpt, reason and fix; ends with a count. Empty without findings. */
export function diagnosticsText(options: TextOptions): string {
  const { diagnostics } = options
  if (diagnostics.length === 0) return ''
  const paint: Paint = (style, text) =>
    options.colour ? styleText(style, text, { validateStream: false }) : text
  const findings = diagnostics.map((finding) => findingText(finding, options, paint))
  return `${[...findings, summary(options)].join('\n\n')}\n`
}
