import { isAbsolute } from 'node:path'
import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import type { SecretReference } from '../../secrets/reference.ts'
import { absolutePath, type Paths } from '../paths.ts'
import { options } from '../settings/options.ts'
import type { Given, Setting } from '../settings/setting.ts'
import type { UserEntry } from '../settings/userMap.ts'
import { path as pathType } from '../types/texts.ts'
import { isFamilyOption } from './iniNames.ts'
import { type CommentValue, hiddenMusterComment, musterComment } from './musterComment.ts'
import { publicLine, readLine, secretLine, type TextLine } from './readIni.ts'
import { isStorePath } from './settingValue.ts'

/** Context of an export. */
type ExportContext = {
  readonly paths: Paths
  /** Absolute folder of the INI file. */
  readonly directory: string
}

type At = { readonly span: Span; readonly context: ExportContext }

/** Converts a path for a file in the output's folder: unchanged unless that folder differs. */
function pathFromOutput(text: string, { span, context }: At): string {
  const home = context.paths.directories.get(span.file) ?? context.paths.fallback
  if (home === context.directory || text.startsWith('~') || text.startsWith('host:')) return text
  return absolutePath(text, { span, paths: context.paths })
}

function commentValueOfSecret(value: SecretReference, at: At): CommentValue {
  switch (value.kind) {
    case 'literal':
      return { kind: 'text', text: value.value.reveal() }
    case 'env':
      return { kind: 'env', text: value.name }
    case 'file':
      return { kind: 'file', text: pathFromOutput(value.path, at) }
    case 'exec':
      return { kind: 'exec', items: value.command }
  }
}

/** Returns true for a value with a literal secret. */
const isLiteralSecret = ({ setting, value }: Given): boolean =>
  setting === options.users
    ? (value as readonly UserEntry[]).some((user) => user.value?.kind === 'literal')
    : setting.secret && (value as SecretReference | undefined)?.kind === 'literal'

/** Converts a usable value for a muster comment. */
function commentValueOf(given: Given, context: ExportContext): CommentValue {
  const { setting, value, span } = given
  const at = { span, context }
  // Only this setting's own type ever put a value under its name.
  if (setting === options.users) {
    const users = (value as readonly UserEntry[]).map(({ name, access, value: secret, span: place }) => ({
      name,
      access,
      ...(secret && { value: commentValueOfSecret(secret, { span: place, context }) }),
    }))
    return { kind: 'users', users }
  }
  if (setting.secret) return commentValueOfSecret(value as SecretReference, at)
  const plain = setting.type.write(value)
  if (Array.isArray(plain) && setting.type.tags?.includes('exec') === true) {
    return { kind: 'exec', items: plain.map(String) }
  }
  if (Array.isArray(plain)) return { kind: 'list', items: plain.map(String) }
  const text = String(plain)
  return { kind: 'text', text: setting.type === pathType ? pathFromOutput(text, at) : text }
}

/** Setting that INI cannot express, which becomes a comment. */
type UnsupportedSetting = { readonly name: string; readonly reason: string; readonly spans: Span[] }

/** State of an export. */
export type ExportState = ExportContext & { readonly unsupported: Map<string, UnsupportedSetting> }

/** Records a setting that becomes a comment. */
export function recordUnsupported(
  state: ExportState,
  unsupported: { name: string; reason: string; span: Span },
): void {
  const { name, reason, span } = unsupported
  const key = `${name} ${reason}`
  const earlier = state.unsupported.get(key)
  if (earlier === undefined) state.unsupported.set(key, { name, reason, spans: [span] })
  else earlier.spans.push(span)
}

/** Creates one finding per name and reason, at its first place. */
export const unsupportedFindings = ({ unsupported }: ExportState): readonly Diagnostic[] =>
  [...unsupported.values()].flatMap(({ name, reason, spans }) =>
    spans
      .slice(0, 1)
      .map((span) => diagnose('no-ini-counterpart', { name, reason, count: spans.length }, { span })),
  )

/** Returns true if the INI reader reads this text back unchanged. */
function canHold(setting: Setting<unknown>, text: string): boolean {
  if (text === '' || /[\n\0]|\p{Cs}/u.test(text)) return false
  // The import leaves out quotes around what is no secret.
  if (!setting.secret && /^(["']).*\1$/s.test(text)) return false
  const read = readLine(`${setting.name}=${text}`)
  return read.kind === 'option' && read.value === text
}

/** Returns the text of an option in an INI file, or why it has none. */
function iniText(setting: Setting<unknown>, value: CommentValue): { text: string } | { reason: string } {
  if (!isFamilyOption(setting)) return { reason: 'The product family has no such option.' }
  if (value.kind !== 'text') return { reason: 'It is a reference, which INI files do not support.' }
  const { text } = value
  if (isStorePath(setting)) {
    const onHost = /^host:(\/.*)$/s.exec(text)?.[1]
    if (onHost === undefined) {
      return { reason: 'It is a path on this machine; the paths in an INI file are on the host.' }
    }
    if (canHold(setting, onHost)) return { text: onHost }
  }
  if (setting === options.installDirectory && !isAbsolute(text)) {
    return { reason: 'It is relative to the YAML file.' }
  }
  return canHold(setting, text) ? { text } : { reason: 'A line of an INI file cannot contain this value.' }
}

/** Writes a setting as a muster comment; `path` is its place in the YAML file. */
export function commentLine(
  state: ExportState,
  given: Given,
  at: { path: string; reason: string; name?: string },
): TextLine {
  const { path, reason, name = given.setting.name } = at
  recordUnsupported(state, { name, reason, span: given.keySpan })
  const text = `# ${musterComment(path, commentValueOf(given, state))}`
  return isLiteralSecret(given) ? { text, shown: `# ${hiddenMusterComment(path)}` } : publicLine(text)
}

/** Writes an option as a line of an INI file, or as a muster comment if INI cannot express it. */
export function optionLine(state: ExportState, given: Given, group: string): TextLine {
  const { setting } = given
  const written = iniText(setting, commentValueOf(given, state))
  if ('reason' in written) {
    return commentLine(state, given, { path: `${group}.${setting.name}`, reason: written.reason })
  }
  const start = `${setting.name}=`
  return setting.secret ? secretLine(start, written.text) : publicLine(start + written.text)
}
