import type { Diagnostic, Span } from '../diagnostics/diagnostic.ts'
import { finding } from '../diagnostics/finding.ts'
import { nearest } from '../diagnostics/nearest.ts'
import type { SourceText } from '../diagnostics/source.ts'
import type { SecretReference } from '../secrets/reference.ts'
import { Secret } from '../secrets/secret.ts'
import { looksSecret } from './document/hideSecrets.ts'
import type { YamlNode } from './document/node.ts'
import { stdinTwice, unknownOption } from './findings.ts'
import { isSecret } from './secretOptions.ts'
import { allOptions } from './settings/options.ts'
import type { Given } from './settings/setting.ts'
import { type Setting, spellings } from './settings/setting.ts'
import type { Values } from './shape/draft.ts'
import type { ValueType } from './types/type.ts'

/** Name of `--set` in findings: line 1 is the first one. */
export const setSource = '--set'

/** Values of the command line. */
type ReadSets = {
  readonly values: Values
  readonly findings: readonly Diagnostic[]
  readonly source: SourceText
}

/** Returns true for an assignment that reads a secret from standard input: `name=-`. */
export const asksForStdin = (assignment: string): boolean => {
  const name = assignment.slice(0, Math.max(0, assignment.indexOf('=')))
  const wantsSecret = allOptions.some((one) => isSecret(one) && spellings([one]).includes(name))
  return wantsSecret && assignment === `${name}=-`
}

const at = (line: number, from: number, to: number): Span => ({
  file: setSource,
  line,
  column: from + 1,
  endLine: line,
  endColumn: Math.max(from + 1, to) + 1,
})

/** Converts text of the command line to a YAML node; lists are split at commas. */
function nodeFor(text: string, type: ValueType<unknown>, span: Span): YamlNode {
  const scalar = (source: string): YamlNode => ({ kind: 'scalar', value: source, source, span })
  if (type.example.startsWith('[')) {
    const items = text === '' ? [] : text.split(',').map((item) => scalar(item.trim()))
    return { kind: 'list', flow: true, items, span }
  }
  if (type.textual) return scalar(text)
  if (text === 'true' || text === 'false')
    return { kind: 'scalar', value: text === 'true', source: text, span }
  return /^\d{1,15}$/.test(text) ? { kind: 'scalar', value: Number(text), source: text, span } : scalar(text)
}

type SecretSet = { readonly reference?: SecretReference; readonly findings: readonly Diagnostic[] }

const setSecretLiteral = finding('set-secret-literal', (facts: { name: string }) => ({
  message: `The value of ${facts.name} is a secret and must not be written on the command line.`,
  why: 'Every user of this machine can see command lines (ps), and shells keep them in their history.',
  fix: `Use --set ${facts.name}=- to read it from standard input, or --set ${facts.name}=@FILE to read a file.`,
}))

function secretFor(name: string, text: string, given: { span: Span; stdin: string | undefined }): SecretSet {
  const { span, stdin } = given
  if (text === '-' && stdin !== undefined) {
    const value = new Secret(stdin.replace(/\r?\n$/, ''))
    return { reference: { kind: 'literal', value }, findings: [] }
  }
  if (text === '-') return { findings: [stdinTwice({}, { span })] }
  if (text.length > 1 && text.startsWith('@'))
    return { reference: { kind: 'file', path: text.slice(1) }, findings: [] }
  return { findings: [setSecretLiteral({ name }, { span })] }
}

function unknown(name: string, span: Span): Diagnostic {
  const near = nearest(name, spellings(allOptions))
  return unknownOption({ name, nearest: near }, { span })
}

const setNotAssignment = finding('set-not-assignment', () => ({
  message: 'The argument of --set is not name=value.',
  why: 'Without an equals sign, the option and its value are not clear.',
  fix: 'Write, for example: --set log-level=debug',
}))

/** Reads `name=value` assignments. `stdin` is the value of `name=-`; only given if nothing else reads it. */
export function readSets(assignments: readonly string[], stdin: string | undefined): ReadSets {
  const values = new Map<string, Given>()
  const findings: Diagnostic[] = []
  const hidden: Span[] = []
  const lines = assignments.map((assignment) => assignment.replaceAll(/[\r\n]/g, ' '))
  let unreadStdin = stdin
  const put = (setting: Setting<unknown>, given: Given): void => {
    values.set(setting.name, given)
  }
  for (const [index, assignment] of assignments.entries()) {
    const line = index + 1
    const end = assignment.length
    const equals = assignment.indexOf('=')
    const nameEnd = equals === -1 ? end : equals
    const name = assignment.slice(0, nameEnd)
    const keySpan = at(line, 0, nameEnd)
    const span = at(line, nameEnd + 1, end)
    const setting = allOptions.find((one) => spellings([one]).includes(name))
    if (equals < 1) {
      hidden.push(at(line, 0, end))
      findings.push(setNotAssignment({}, { span: at(line, 0, end) }))
      continue
    }
    if (setting === undefined || setting.secret || looksSecret(name)) hidden.push(span)
    if (setting === undefined) {
      findings.push(unknown(name, keySpan))
      continue
    }
    const given = { setting, spelling: name, keySpan, span }
    const text = assignment.slice(equals + 1)
    if (isSecret(setting)) {
      const read = secretFor(name, text, { span, stdin: unreadStdin })
      if (text === '-') unreadStdin = undefined
      findings.push(...read.findings)
      put(setting, read.reference === undefined ? given : { ...given, value: read.reference })
      continue
    }
    const read = setting.type.read(nodeFor(text, setting.type, span), setting.name)
    findings.push(...read.findings)
    put(setting, read.value === undefined ? given : { ...given, value: read.value })
  }
  return { values, findings, source: { name: setSource, text: lines.join('\n'), hidden } }
}
