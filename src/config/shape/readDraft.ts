import { isHostName } from '../../base/address.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import { keyName, type MapEntry, type MapNode } from '../document/node.ts'
import { referenceNotSecret, unknownKey } from '../findings.ts'
import { wrongType } from '../types/type.ts'
import type { Draft, HostDraft, ServiceDraft, Values } from './draft.ts'
import { places } from './places.ts'
import { isExtension, type Place, type Read, readFields } from './readFields.ts'

const wants = 'a group: one "name: value" on each line, indented by two spaces'

/** Collects findings and hidden spans. */
type Collected = { readonly findings: Diagnostic[]; readonly hidden: Span[] }

function collect<T>(collected: Collected, read: Read<T>): T {
  // One by one: a call cannot take as many arguments as a file may have lines.
  for (const finding of read.findings) collected.findings.push(finding)
  for (const span of read.hidden) collected.hidden.push(span)
  return read.value
}

const entryOf = (node: MapNode, name: string): MapEntry | undefined =>
  node.entries.find((entry) => entry.key === name)

/** Returns the map of an entry; an empty one if nothing follows the colon. Undefined for any other value. */
function groupOf(entry: MapEntry | undefined, collected: Collected): MapNode | undefined {
  if (entry === undefined) return undefined
  const { value } = entry
  if (value.faulty === true) return undefined
  if (value.tag !== undefined) {
    const facts = { name: entry.key, tag: value.tag }
    collected.findings.push(referenceNotSecret(facts, { span: value.span }))
    return undefined
  }
  if (value.kind === 'map') return value
  if (value.kind === 'scalar' && value.value === null) {
    return { kind: 'map', flow: false, entries: [], span: value.span }
  }
  const fix = `Write, for example on the next line: "  name: value"`
  collected.findings.push(wrongType(value, { name: entry.key, wants, fix }))
  return undefined
}

function fieldsOf(node: MapNode | undefined, place: Place, collected: Collected): Values {
  return node === undefined ? new Map() : collect(collected, readFields(node, place))
}

/** Returns the first entry of each name; a second one already has a finding. */
const firstEntries = (node: MapNode | undefined): readonly MapEntry[] =>
  [...new Map((node?.entries ?? []).toReversed().map((entry) => [entry.key, entry])).values()].toReversed()

const badName = finding('bad-name', (facts: { what: string }) => ({
  message: `This is not a valid name for ${facts.what}.`,
  why: 'It is used in certificates and addresses, which allow only letters, digits, hyphens and dots.',
  fix: 'Write, for example: db1 or db1.example.org',
}))

function nameFinding(entry: MapEntry, what: string): Diagnostic[] {
  return isHostName(entry.key) ? [] : [badName({ what }, { span: entry.keySpan })]
}

function readService(entry: MapEntry, collected: Collected): ServiceDraft {
  collected.findings.push(...nameFinding(entry, 'a service'))
  const node = groupOf(entry, collected)
  const fields = fieldsOf(node, places.service, collected)
  const options = fieldsOf(node && groupOf(entryOf(node, 'options'), collected), places.options, collected)
  return { name: entry.key, span: entry.keySpan, fields, options }
}

function readHost(entry: MapEntry, collected: Collected): HostDraft {
  collected.findings.push(...nameFinding(entry, 'a host'))
  const node = groupOf(entry, collected)
  const fields = fieldsOf(node, places.host, collected)
  const ssh = fieldsOf(node && groupOf(entryOf(node, 'ssh'), collected), places.ssh, collected)
  const options = fieldsOf(node && groupOf(entryOf(node, 'options'), collected), places.options, collected)
  return { name: entry.key, span: entry.keySpan, fields, ssh, options }
}

const isKnownHere = (key: string): boolean =>
  isExtension(key) || places.file.settings.has(key) || (places.file.groups as readonly string[]).includes(key)

/** Checks the shape of one file, value by value, and keeps usable values. */
export function readDraft(root: MapNode): Read<Draft> {
  const collected: Collected = { findings: [], hidden: [] }
  const fields = fieldsOf(root, places.file, collected)
  const groups = new Map<string, { span: Span; bad: boolean }>()
  const group = (name: string): MapNode | undefined => {
    const entry = entryOf(root, name)
    const node = groupOf(entry, collected)
    if (entry !== undefined) groups.set(name, { span: entry.keySpan, bad: node === undefined })
    return node
  }
  /** Returns the entries of a group whose names may be shown: the name of a host or service is in many messages. */
  const shownEntries = (name: string): readonly MapEntry[] =>
    firstEntries(group(name)).filter((entry) => {
      if (entry.hidden !== true) return true
      const facts = { ...keyName(entry), nearest: undefined, place: name, known: [] }
      collected.findings.push(unknownKey(facts, { span: entry.keySpan }))
      return false
    })
  for (const { key, keySpan } of root.entries) {
    const nearestGroup = isKnownHere(key) ? undefined : nearest(key, places.file.groups)
    // A misspelt group has its finding; it is not missing as well.
    if (nearestGroup !== undefined && entryOf(root, nearestGroup) === undefined)
      groups.set(nearestGroup, { span: keySpan, bad: true })
  }
  const defaults = fieldsOf(group('defaults'), places.defaults, collected)
  const ssh = fieldsOf(group('ssh'), places.ssh, collected)
  const hooks = fieldsOf(group('hooks'), places.hooks, collected)
  const services = new Map(
    shownEntries('services').map((entry) => [entry.key, readService(entry, collected)]),
  )
  const hosts = new Map(shownEntries('hosts').map((entry) => [entry.key, readHost(entry, collected)]))
  return { value: { fields, defaults, ssh, hooks, services, hosts, groups }, ...collected }
}
