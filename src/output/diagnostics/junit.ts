import { maskInvisible } from '../../base/printable.ts'
import type { Silenced } from '../../config/document/applyIgnores.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import type { Report } from './portable.ts'

/** An XML element: its attributes in order, and its content, which is XML already. */
type Element = {
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number>>
  readonly content?: string
}

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
}

/** Escapes element text. Every `>` is escaped, so that `]]>` cannot occur and CDATA is not needed. */
const xmlText = (text: string): string =>
  maskInvisible(text).replace(/[&<>]/g, (character) => references[character] ?? '')

/** Escapes attribute text; line ends and tabs would otherwise become spaces. */
const xmlAttribute = (text: string): string =>
  maskInvisible(text).replace(/[&<>"\t\n]/g, (character) => references[character] ?? '')

/** Writes the element as XML 1.0, whatever characters it has. */
function xmlElement({ name, attributes, content }: Element): string {
  const start = [
    name,
    ...Object.entries(attributes).map(([key, value]) => `${key}="${xmlAttribute(String(value))}"`),
  ]
  return content === undefined ? `<${start.join(' ')}/>` : `<${start.join(' ')}>${content}</${name}>`
}

/**
 * Returns package and class for Jenkins, which splits at the last dot: without an extension it is the file
 * alone.
 */
const className = (file: string): string => file.replace(/\.ya?ml$/, '')

function testcase(file: string, options: { readonly name: string; readonly content?: string }): string {
  const { name, content } = options
  const attributes = { classname: className(file), name, file }
  return `    ${xmlElement({ name: 'testcase', attributes, ...(content === undefined ? {} : { content }) })}`
}

// Readers drop a second test of the same name, so the place is part of it.
const nameOf = ({ span, code, message }: Diagnostic): string =>
  `${span.line}:${span.column} ${code}: ${message}`

function text({ severity, code, message, why, fix, span, related = [] }: Diagnostic): string {
  const place = `${span.file}:${span.line}:${span.column}`
  const see = related.map((other) => `see: ${other.span.file}:${other.span.line}: ${other.message}`)
  return [`${place} ${severity} ${code}`, message, `why: ${why}`, `fix: ${fix}`, ...see].join('\n')
}

const fails = ({ severity }: Diagnostic, { warningsFail }: Report): boolean =>
  severity === 'error' || (warningsFail === true && severity === 'warning')

/** Writes a finding that fails the run as a failed test, any other as a passed test. */
function found(finding: Diagnostic, report: Report): string {
  const { code, message, span } = finding
  const content = fails(finding, report)
    ? xmlElement({ name: 'failure', attributes: { message, type: code }, content: xmlText(text(finding)) })
    : xmlElement({ name: 'system-out', attributes: {}, content: xmlText(text(finding)) })
  return testcase(span.file, { name: nameOf(finding), content })
}

function skipped({ finding, reason }: Silenced): string {
  const message = `Silenced: ${reason}`
  const content = xmlElement({ name: 'skipped', attributes: { message }, content: xmlText(message) })
  return testcase(finding.span.file, { name: nameOf(finding), content })
}

function suite(file: string, report: Report): string {
  const { findings, silenced } = report
  const here = findings.filter(({ span }) => span.file === file)
  const quiet = silenced.filter(({ finding }) => finding.span.file === file)
  const cases = [
    ...(here.length === 0
      ? [testcase(file, { name: 'no findings' })]
      : here.map((finding) => found(finding, report))),
    ...quiet.map(skipped),
  ]
  const failures = here.filter((finding) => fails(finding, report)).length
  const attributes = { name: file, tests: cases.length, failures, errors: 0, skipped: quiet.length }
  return `  ${xmlElement({ name: 'testsuite', attributes, content: `\n${cases.join('\n')}\n  ` })}`
}

/**
 * Writes a report as JUnit XML, one suite per file: errors are failed tests, other findings passed ones (with
 * `warningsFail`, warnings are failed ones), silenced ones are skipped, and a file without findings is one
 * passed test. Failed tests are exactly those that cause exit code 1.
 */
export function diagnosticsJunit(report: Report): string {
  const { files, findings, silenced, command = 'muster validate' } = report
  const named = new Set([
    ...findings.map(({ span }) => span.file),
    ...silenced.map(({ finding }) => finding.span.file),
    ...files,
  ])
  const suites = [...named].map((file) => suite(file, report))
  const content = `\n${suites.join('\n')}\n`
  const root = xmlElement({ name: 'testsuites', attributes: { name: command }, content })
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
}
