import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import { hiddenSpansOf, isPublicReference } from '../document/hideSecrets.ts'
import { keyName, type MapEntry, type MapNode, type YamlNode } from '../document/node.ts'
import { noValue, referenceNotSecret, unknownKey, unknownOption } from '../findings.ts'
import type { Given, Setting } from '../settings/setting.ts'
import type { Values } from './draft.ts'

/** Definition of one kind of group. */
export type Place = {
  /** Name for messages: "the ssh settings". */
  readonly name: string
  /** By their spellings. */
  readonly settings: ReadonlyMap<string, Setting<unknown>>
  /** Names of its subgroups, which the caller reads. */
  readonly groups: readonly string[]
  /** Its settings are called options. */
  readonly hasOptions: boolean
  /** Keys that begin with `x-` are the file's own, and never read; other places merge what they anchor. */
  readonly hasExtensions?: true
  /** Settings that belong into a subgroup of this place. */
  readonly subgroup?: { readonly group: string; readonly settings: ReadonlyMap<string, Setting<unknown>> }
}

/** Result of reading; `hidden` are values that must not be printed, beside the secrets. */
export type Read<T> = {
  readonly value: T
  readonly findings: readonly Diagnostic[]
  readonly hidden: readonly Span[]
}

/** Reads the value of a setting; undefined if it is empty or a reference for a setting that is no secret. */
function readValue(
  node: YamlNode,
  setting: Setting<unknown>,
): { value?: unknown; findings: readonly Diagnostic[] } {
  const { name, type, secret } = setting
  const place = { span: node.span }
  if (node.faulty === true) return { findings: [] }
  if (node.tag !== undefined && !secret && type.tags?.includes(node.tag) !== true) {
    return { findings: [referenceNotSecret({ name, tag: node.tag }, place)] }
  }
  if (node.kind === 'scalar' && node.value === null && node.tag === undefined) {
    return { findings: [noValue({ name, wants: type.wants, secret }, place)] }
  }
  return type.read(node, name)
}

/** Returns the name that was probably meant by an unknown one. */
function suggestedName(entry: MapEntry, place: Place): string | undefined {
  return entry.hidden === true ? undefined : nearest(entry.key, [...place.settings.keys(), ...place.groups])
}

const misplacedOption = finding(
  'misplaced-option',
  (facts: { name: string; place: string; group: string }) => ({
    message: `${facts.name} is an option; it cannot be set directly in ${facts.place}.`,
    why: 'It is not read here.',
    fix: `Move it one level deeper, under ${facts.group}:`,
  }),
)

function unknown(entry: MapEntry, place: Place, near: string | undefined): Diagnostic {
  const at = { span: entry.keySpan }
  const { name, hidden } = keyName(entry)
  if (place.subgroup?.settings.has(name)) {
    return misplacedOption({ name, place: place.name, group: place.subgroup.group }, at)
  }
  const known = [...place.settings.keys(), ...place.groups]
  const facts = { name, nearest: near, ...(hidden && { hidden }) }
  if (place.hasOptions) return unknownOption(facts, at)
  return unknownKey({ ...facts, place: place.name, known }, at)
}

/**
 * Returns the hidden spans of an unknown entry: in a one-line map its value, else the rest of the line too.
 */
function hiddenOf(node: MapNode, entry: MapEntry): readonly Span[] {
  if (!node.flow) return hiddenSpansOf(entry)
  return isPublicReference(entry.value) ? [] : [entry.value.span]
}

/** Returns true for a name that is known at another place; its value may then be printed. */
const isKnownElsewhere = (name: string, place: Place): boolean => place.subgroup?.settings.has(name) === true

/** Returns true for a key that belongs to the file alone, as in Compose and OpenAPI. */
export const isExtension = (key: string): boolean => key.startsWith('x-')

/** Limit of suggestions: a file with so many unknown names is no configuration. */
const maxSuggestions = 100

const aliasAndName = finding('alias-and-name', (facts: { name: string; other: string }) => ({
  message: `${facts.name} is another spelling of ${facts.other}, and both are given.`,
  why: 'Only one of the two can apply, and it is not clear which.',
  fix: 'Remove one of them.',
}))

/**
 * Reads the settings of one group; checks each value by its type and suggests the nearest name for unknown
 * ones.
 */
export function readFields(node: MapNode, place: Place): Read<Values> {
  const values = new Map<string, Given>()
  const misspelt = new Map<string, Given>()
  const findings: Diagnostic[] = []
  const hidden: Span[] = []
  const seen = new Set<string>()
  for (const entry of node.entries) {
    if (seen.has(entry.key) || place.groups.includes(entry.key)) continue
    seen.add(entry.key)
    const { key: spelling, keySpan, value: written } = entry
    if (place.hasExtensions && isExtension(spelling)) {
      hidden.push(...hiddenOf(node, entry))
      continue
    }
    const setting = place.settings.get(spelling)
    if (setting === undefined) {
      const near = findings.length < maxSuggestions ? suggestedName(entry, place) : undefined
      findings.push(unknown(entry, place, near))
      if (!isKnownElsewhere(spelling, place)) hidden.push(...hiddenOf(node, entry))
      const wanted = near === undefined ? undefined : place.settings.get(near)
      if (wanted !== undefined)
        misspelt.set(wanted.name, { setting: wanted, spelling, keySpan, span: written.span })
      continue
    }
    const earlier = values.get(setting.name)
    if (earlier !== undefined) {
      const related = [{ message: `${earlier.spelling} is here.`, span: earlier.keySpan }]
      findings.push(aliasAndName({ name: spelling, other: earlier.spelling }, { span: keySpan, related }))
      continue
    }
    const { value, findings: made } = readValue(written, setting)
    findings.push(...made)
    const given = { setting, spelling, keySpan, span: written.span }
    values.set(setting.name, value === undefined ? given : { ...given, value })
  }
  // A misspelt name counts as given, so that no rule reports it as missing.
  return { value: new Map([...misspelt, ...values]), findings, hidden }
}
