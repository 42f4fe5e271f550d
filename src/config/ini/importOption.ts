import { diagnose } from '../../diagnostics/diagnose.ts'
import { options } from '../settings/options.ts'
import type { Setting } from '../settings/setting.ts'
import { type ImportState, report } from './importState.ts'
import type { IniOption } from './iniFile.ts'
import { correctedName, isPlainName, optionOf } from './iniNames.ts'
import { commentText, secretLine, type TextLine } from './readIni.ts'
import { valueFromIni } from './settingValue.ts'
import {
  addComment,
  addValue,
  type Group,
  itemAsComment,
  mayBeSecret,
  shownName,
  type YamlValue,
  yamlComment,
} from './yamlDraft.ts'

/** An option of the INI file and the comments above it. */
export type Commented = { readonly item: IniOption; readonly above: readonly TextLine[] }

const isQuoted = (value: string): boolean =>
  value.length > 1 && /^["']/.test(value) && value.endsWith(value.charAt(0))

/** Hides what must not be printed: the value of a secret and of any unknown option. */
export function hideOption(state: ImportState, item: IniOption): void {
  const known = optionOf(item.key)
  if (known !== undefined && !mayBeSecret(item)) return
  const column = isPlainName(item.key) ? item.span.column : 1
  state.hidden.push({ ...item.span, column, endColumn: Number.MAX_SAFE_INTEGER })
}

/** Adds a value to a group; of two with the same name the later one counts, with a finding. */
export function keepValue(state: ImportState, group: Group, kept: YamlValue): void {
  const earlier = addValue(state.yaml, group, kept)
  // The sections of several services may set the same value for one host.
  const same = group.kind === 'host-options' && earlier?.value.text === kept.value.text
  if (earlier === undefined || same) return
  const { spelling, keySpan } = kept.from
  const facts = { name: shownName(spelling), other: shownName(earlier.from.spelling) }
  const related = [{ message: 'The first one is here.', span: earlier.from.keySpan }]
  state.findings.push(diagnose('ini-option-twice', facts, { span: keySpan, related }))
}

/** Keeps an option as a comment, with a finding. */
export function keepAsComment(
  state: ImportState,
  group: Group,
  given: Commented & { readonly reason?: string },
): void {
  const { item, above, reason } = given
  for (const line of above) addComment(state.yaml, group, line)
  addComment(state.yaml, group, itemAsComment(item, item.value === '' ? 'no value' : 'no counterpart'))
  const name = shownName(item.key)
  if (item.value === '') report(state, 'ini-no-value', { facts: { name }, span: item.keySpan })
  else {
    const nearest = reason === undefined ? correctedName(item.key) : undefined
    report(state, 'ini-no-counterpart', { facts: { name, reason, nearest }, span: item.keySpan })
  }
}

/** Removes what is no part of the value, with a finding for each. */
function cleanValue(state: ImportState, item: IniOption, setting: Setting<unknown>): string {
  const name = shownName(item.key)
  const span = item.span
  if (item.backslash) report(state, 'ini-trailing-backslash', { facts: { name }, span })
  if (item.comment !== undefined && setting.secret) report(state, 'ini-value-cut', { facts: { name }, span })
  if (!isQuoted(item.value)) return item.value
  // Never suggest anything about the contents of a secret.
  report(state, 'ini-quotes', { facts: { name, kept: setting.secret }, span })
  return setting.secret ? item.value : item.value.slice(1, -1)
}

/** Adds a known option under its current name; `above` are comments for it. */
export function keepOption(
  state: ImportState,
  group: Group,
  given: Commented & { setting: Setting<unknown> },
): void {
  const { item, above, setting } = given
  const { key, keySpan, comment } = item
  const comments =
    comment === undefined
      ? []
      : [setting.secret ? secretLine('', commentText(comment)) : yamlComment(comment)]
  keepValue(state, group, {
    kind: 'value',
    name: setting.name,
    value: valueFromIni(setting, cleanValue(state, item, setting)),
    above: [...above, ...comments],
    from: { spelling: key, keySpan, replacement: itemAsComment(item, 'given again below') },
  })
}

/** Adds an option to its group; one without an equivalent becomes a comment in `rest`. */
export function importOption(state: ImportState, given: Commented, to: { group: Group; rest: Group }): void {
  const setting = optionOf(given.item.key)
  hideOption(state, given.item)
  const isUsers = setting === options.users
  if (isUsers)
    keepAsComment(state, to.rest, {
      ...given,
      reason: 'A line of an INI file cannot contain users and passwords.',
    })
  else if (setting === undefined || given.item.value === '') keepAsComment(state, to.rest, given)
  else keepOption(state, to.group, { ...given, setting })
}
