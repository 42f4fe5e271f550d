import { isAbsolute } from 'node:path'
import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { options } from '../settings/options.ts'
import type { Setting } from '../settings/setting.ts'
import type { Given } from '../shape/values.ts'
import { type ExportContext, isLiteralSecret, noteOf } from './exportValue.ts'
import { hiddenMusterComment, musterComment, type NotedValue } from './musterComment.ts'
import { isFamilyOption } from './names.ts'
import { readLine } from './readLine.ts'
import { isStorePath } from './settingValue.ts'
import { open, secretAfter, type TextLine } from './textLine.ts'

/** What stands as a comment because INI cannot say it, by its name and reason. */
type Lost = { readonly name: string; readonly reason: string; readonly spans: Span[] }

/** What an export collects. */
export type Export = ExportContext & { readonly lost: Map<string, Lost> }

/** Notes that something is written as a comment. */
export function note(found: Export, lost: { name: string; reason: string; span: Span }): void {
  const { name, reason, span } = lost
  const key = `${name} ${reason}`
  const earlier = found.lost.get(key)
  if (earlier === undefined) found.lost.set(key, { name, reason, spans: [span] })
  else earlier.spans.push(span)
}

/** One finding for each name and reason, at its first place. */
export const lostFindings = ({ lost }: Export): readonly Diagnostic[] =>
  [...lost.values()].flatMap(({ name, reason, spans }) =>
    spans
      .slice(0, 1)
      .map((span) => diagnose('no-ini-counterpart', { name, reason, count: spans.length }, { span })),
  )

/** Whether a line of an INI file gives this text back when it is read. */
function canHold(setting: Setting<unknown>, text: string): boolean {
  if (text === '' || /[\n\0]|\p{Cs}/u.test(text)) return false
  // The import leaves out quotes around what is no secret.
  if (!setting.secret && /^(["']).*\1$/s.test(text)) return false
  const read = readLine(`${setting.name}=${text}`)
  return read.kind === 'option' && read.value === text
}

/** The text of an option in an INI file, or why there is none. */
function iniText(setting: Setting<unknown>, value: NotedValue): { text: string } | { reason: string } {
  if (!isFamilyOption(setting)) return { reason: 'The family has no such option.' }
  if (value.kind !== 'text') return { reason: 'It is a reference, which INI files do not support.' }
  const { text } = value
  if (isStorePath(setting)) {
    const onHost = /^host:(\/.*)$/s.exec(text)?.[1]
    if (onHost === undefined) {
      return { reason: 'It is a path on this machine; an INI file has paths on the host.' }
    }
    if (canHold(setting, onHost)) return { text: onHost }
  }
  if (setting === options.installDirectory && !isAbsolute(text)) {
    return { reason: 'It is relative to the YAML file.' }
  }
  return canHold(setting, text) ? { text } : { reason: 'A line of an INI file cannot hold this value.' }
}

/** A setting as a comment for muster; `path` is its place in the YAML file. */
export function commentLine(
  found: Export,
  given: Given,
  at: { path: string; reason: string; name?: string },
): TextLine {
  const { path, reason, name = given.setting.name } = at
  note(found, { name, reason, span: given.keySpan })
  const text = `# ${musterComment(path, noteOf(given, found))}`
  return isLiteralSecret(given) ? { text, shown: `# ${hiddenMusterComment(path)}` } : open(text)
}

/** An option as a line of an INI file, or as a comment for muster where INI cannot say it. */
export function optionLine(found: Export, given: Given, group: string): TextLine {
  const { setting } = given
  const written = iniText(setting, noteOf(given, found))
  if ('reason' in written) {
    return commentLine(found, given, { path: `${group}.${setting.name}`, reason: written.reason })
  }
  const start = `${setting.name}=`
  return setting.secret ? secretAfter(start, written.text) : open(start + written.text)
}
