import { jsonText } from '../../base/json.ts'
import { sha256 } from '../../base/sha256.ts'
import { isCode } from '../../diagnostics/codes.ts'
import type { Diagnostic, Severity, Span } from '../../diagnostics/diagnostic.ts'
import { explanationOf } from '../../diagnostics/explanation.ts'
import type { Report } from './portable.ts'

const root = '%SRCROOT%'

// The values of `level` in SARIF are our own words, as it happens; the type says when that ends.
const levels = { error: 'error', warning: 'warning', note: 'note' } as const satisfies Record<
  Severity,
  string
>

/** Encodes a relative name as a URI; a lone surrogate becomes U+FFFD. */
const uriOf = (file: string): string =>
  file
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/')

const physicalLocation = ({ file, line, column, endLine, endColumn }: Span) => ({
  artifactLocation: { uri: uriOf(file), uriBaseId: root },
  region: { startLine: line, startColumn: column, endLine, endColumn },
})

/** Takes apart what a viewer would show as a link, `[text](place)` (SARIF 2.1.0, 3.11.6): the text may be a host's. */
const withoutLinks = (text: string): string => text.replaceAll('](', '] (')

/** Writes the text at the place; each related place is a link to its number. */
function messageOf({ message, why, fix, related = [] }: Diagnostic): string {
  const see = related.map((other, id) => `See: [${other.message.replaceAll(/[[\]\\]/g, '\\$&')}](${id})`)
  return [...[message, why, `Fix: ${fix}`].map(withoutLinks), ...see].join('\n')
}

/**
 * Defines the rule of a finding; it is shared by all its findings, so its text is that of the explanation.
 */
function ruleOf({ code, severity, why, fix }: Diagnostic) {
  const level = levels[severity]
  if (!isCode(code)) {
    return { id: code, fullDescription: { text: why }, help: { text: fix }, defaultConfiguration: { level } }
  }
  const { title, about } = explanationOf(code)
  return {
    id: code,
    shortDescription: { text: `${title}.` },
    fullDescription: { text: about[0] ?? title },
    help: { text: about.join('\n\n'), markdown: about.join('\n\n') },
    defaultConfiguration: { level },
  }
}

/** Identifies findings while lines move: by the text, and by a count among equal texts. */
function fingerprints(findings: readonly Diagnostic[]): readonly string[] {
  const seen = new Map<string, number>()
  return findings.map(({ code, message, span }) => {
    const hash = sha256(JSON.stringify([code, message, span.file])).slice(0, 32)
    const count = (seen.get(hash) ?? 0) + 1
    seen.set(hash, count)
    return `${hash}:${count}`
  })
}

/** Writes a report as SARIF 2.1.0; `version` is that of muster. File names must be relative (`portable`). */
export function diagnosticsSarif({ findings, silenced }: Report, version: string): string {
  const all = [
    ...findings.map((finding) => ({ finding, suppressions: [] })),
    ...silenced.map(({ finding, reason }) => ({
      finding,
      suppressions: [{ kind: 'inSource', justification: reason }],
    })),
  ]
  const rules = [...new Map(all.map(({ finding }) => [finding.code, finding])).values()].map(ruleOf)
  const ruleIndex = new Map(rules.map(({ id }, index) => [id, index]))
  const prints = fingerprints(all.map(({ finding }) => finding))
  const results = all.map(({ finding, suppressions }, index) => ({
    ruleId: finding.code,
    ruleIndex: ruleIndex.get(finding.code),
    level: levels[finding.severity],
    message: { text: messageOf(finding) },
    locations: [{ physicalLocation: physicalLocation(finding.span) }],
    relatedLocations: (finding.related ?? []).map((other, id) => ({
      id,
      physicalLocation: physicalLocation(other.span),
      message: { text: other.message },
    })),
    partialFingerprints: { 'finding/v1': prints[index] },
    suppressions,
  }))
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'muster', version, rules } },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { [root]: { description: { text: 'The working directory of the run.' } } },
        results,
      },
    ],
  }
  return jsonText(log)
}
