import { isHostName } from '../../base/address.ts'
import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import type { MapEntry, MapNode } from '../document/node.ts'
import { wrongType } from '../types/type.ts'
import type { Draft, HostDraft, ServiceDraft, Values } from './draft.ts'
import { places } from './places.ts'
import { type Place, type Read, readFields } from './readFields.ts'

const wants = 'a group: names with values, each on a line of its own and indented by two spaces'

/** Collects findings and hidden spans. */
type Notes = { readonly findings: Diagnostic[]; readonly hidden: Span[] }

function keep<T>(notes: Notes, read: Read<T>): T {
  // One by one: a call cannot take as many arguments as a file may have lines.
  for (const finding of read.findings) notes.findings.push(finding)
  for (const span of read.hidden) notes.hidden.push(span)
  return read.value
}

const entryOf = (node: MapNode, name: string): MapEntry | undefined =>
  node.entries.find((entry) => entry.key === name)

/** Returns the map of an entry; an empty one if nothing follows the colon. Undefined for any other value. */
function groupOf(entry: MapEntry | undefined, notes: Notes): MapNode | undefined {
  if (entry === undefined) return undefined
  const { value } = entry
  if (value.faulty === true) return undefined
  if (value.tag !== undefined) {
    const facts = { name: entry.key, tag: value.tag }
    notes.findings.push(diagnose('reference-not-secret', facts, { span: value.span }))
    return undefined
  }
  if (value.kind === 'map') return value
  if (value.kind === 'scalar' && value.value === null) {
    return { kind: 'map', flow: false, entries: [], span: value.span }
  }
  const fix = `Write for example, on the next line: "  name: value"`
  notes.findings.push(wrongType(value, { name: entry.key, wants, fix }))
  return undefined
}

function fieldsOf(node: MapNode | undefined, place: Place, notes: Notes): Values {
  return node === undefined ? new Map() : keep(notes, readFields(node, place))
}

/** Returns the first entry of each name; a second one already has a finding. */
const firsts = (node: MapNode | undefined): readonly MapEntry[] =>
  [...new Map((node?.entries ?? []).toReversed().map((entry) => [entry.key, entry])).values()].toReversed()

function nameFinding(entry: MapEntry, what: string): Diagnostic[] {
  return isHostName(entry.key) ? [] : [diagnose('bad-name', { what }, { span: entry.keySpan })]
}

function readService(entry: MapEntry, notes: Notes): ServiceDraft {
  notes.findings.push(...nameFinding(entry, 'a service'))
  const node = groupOf(entry, notes)
  const fields = fieldsOf(node, places.service, notes)
  const options = fieldsOf(node && groupOf(entryOf(node, 'options'), notes), places.options, notes)
  return { name: entry.key, span: entry.keySpan, fields, options }
}

function readHost(entry: MapEntry, notes: Notes): HostDraft {
  notes.findings.push(...nameFinding(entry, 'a host'))
  const node = groupOf(entry, notes)
  const fields = fieldsOf(node, places.host, notes)
  const ssh = fieldsOf(node && groupOf(entryOf(node, 'ssh'), notes), places.ssh, notes)
  const options = fieldsOf(node && groupOf(entryOf(node, 'options'), notes), places.options, notes)
  return { name: entry.key, span: entry.keySpan, fields, ssh, options }
}

const isKnownHere = (key: string): boolean =>
  places.file.settings.has(key) || (places.file.groups as readonly string[]).includes(key)

/** Checks the shape of one file, value by value, and keeps usable values. */
export function readDraft(root: MapNode): Read<Draft> {
  const notes: Notes = { findings: [], hidden: [] }
  const fields = fieldsOf(root, places.file, notes)
  const groups = new Map<string, { span: Span; bad: boolean }>()
  const group = (name: string): MapNode | undefined => {
    const entry = entryOf(root, name)
    const node = groupOf(entry, notes)
    if (entry !== undefined) groups.set(name, { span: entry.keySpan, bad: node === undefined })
    return node
  }
  for (const { key, keySpan } of root.entries) {
    const meant = isKnownHere(key) ? undefined : nearest(key, places.file.groups)
    // A misspelt group has its finding; it is not missing as well.
    if (meant !== undefined && entryOf(root, meant) === undefined)
      groups.set(meant, { span: keySpan, bad: true })
  }
  const defaults = fieldsOf(group('defaults'), places.defaults, notes)
  const ssh = fieldsOf(group('ssh'), places.ssh, notes)
  const services = new Map(firsts(group('services')).map((entry) => [entry.key, readService(entry, notes)]))
  const hosts = new Map(firsts(group('hosts')).map((entry) => [entry.key, readHost(entry, notes)]))
  return { value: { fields, defaults, ssh, services, hosts, groups }, ...notes }
}
