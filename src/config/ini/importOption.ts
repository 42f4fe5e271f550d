import { finding } from '../../diagnostics/finding.ts'
import { options } from '../settings/options.ts'
import type { Setting } from '../settings/setting.ts'
import type { ImportState } from './importState.ts'
import type { IniOption } from './iniFile.ts'
import { correctedName, isPlainName, optionOf } from './iniNames.ts'
import { commentText, keptAsComment, secretLine, type TextLine } from './readIni.ts'
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

export const iniOptionTwice = finding('ini-option-twice', (facts: { name: string; other: string }) => ({
  message:
    facts.name === facts.other
      ? `${facts.name} is given twice.`
      : `${facts.name} is another spelling of ${facts.other}, and both are given.`,
  why: 'The later one is used. The earlier one is kept as a comment in the YAML file.',
  fix: 'Remove the wrong one.',
}))

/** Adds a value to a group; of two with the same name the later one counts, with a finding. */
export function keepValue(state: ImportState, group: Group, kept: YamlValue): void {
  const earlier = addValue(state.yaml, group, kept)
  // The sections of several services may set the same value for one host.
  const same = group.kind === 'host-options' && earlier?.value.text === kept.value.text
  if (earlier === undefined || same) return
  const { spelling, keySpan } = kept.from
  const facts = { name: shownName(spelling), other: shownName(earlier.from.spelling) }
  const related = [{ message: 'The first one is here.', span: earlier.from.keySpan }]
  state.findings.push(iniOptionTwice(facts, { span: keySpan, related }))
}

const iniNoValue = finding('ini-no-value', (facts: { name: string }) => ({
  message: `${facts.name} has no value.`,
  why: `Nothing follows the equals sign. ${keptAsComment}`,
  fix: 'Write a value, or remove the line.',
}))

export const iniNoCounterpart = finding(
  'ini-no-counterpart',
  (facts: { name: string; reason: string | undefined; nearest: string | undefined }) => ({
    message: `${facts.name} has no counterpart in muster.`,
    why: `${facts.reason === undefined ? '' : `${facts.reason} `}${keptAsComment}`,
    fix:
      facts.nearest === undefined
        ? 'Check that you do not need it.'
        : `Did you mean ${facts.nearest}? Otherwise check that you do not need it.`,
  }),
)

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
  if (item.value === '') state.findings.push(iniNoValue({ name }, { span: item.keySpan }))
  else {
    const nearest = reason === undefined ? correctedName(item.key) : undefined
    state.findings.push(iniNoCounterpart({ name, reason, nearest }, { span: item.keySpan }))
  }
}

const iniQuotes = finding('ini-quotes', (facts: { name: string; kept: boolean }) => ({
  message: facts.kept
    ? `The quotes around the value of ${facts.name} were kept.`
    : `The quotes around the value of ${facts.name} were removed.`,
  why: facts.kept
    ? 'INI files of the product family have no quoting: everything after the equals sign is the value.'
    : 'INI files of the product family have no quoting, and the value would be invalid with quotes.',
  fix: facts.kept
    ? 'If they are not part of the value, remove them in the YAML file.'
    : 'Remove them from the INI file too.',
}))

const iniValueCut = finding('ini-value-cut', (facts: { name: string }) => ({
  message: `The value of ${facts.name} ends where a comment starts.`,
  why: 'A # or ; after a space starts a comment, also inside a secret. The rest is kept as a comment in the YAML file.',
  fix: 'If it is part of the secret, write the whole secret in the YAML file.',
}))

const iniTrailingBackslash = finding('ini-trailing-backslash', (facts: { name: string }) => ({
  message: `The backslash at the end of ${facts.name} was removed.`,
  why: 'It is probably left from a shell command: in an INI file a value cannot continue on the next line.',
  fix: 'If it is part of the value, add it in the YAML file.',
}))

/** Removes what is no part of the value, with a finding for each. */
function cleanValue(state: ImportState, item: IniOption, setting: Setting<unknown>): string {
  const name = shownName(item.key)
  const span = item.span
  if (item.backslash) state.findings.push(iniTrailingBackslash({ name }, { span }))
  if (item.comment !== undefined && setting.secret) state.findings.push(iniValueCut({ name }, { span }))
  if (!isQuoted(item.value)) return item.value
  // Never suggest anything about the contents of a secret.
  state.findings.push(iniQuotes({ name, kept: setting.secret }, { span }))
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
