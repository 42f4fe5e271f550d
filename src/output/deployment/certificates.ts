import { stripVTControlCharacters } from 'node:util'
import { jsonText } from '../../base/json.ts'
import { printable } from '../../base/printable.ts'
import { isoDate } from '../../base/time.ts'
import { wrap } from '../../base/wrapping.ts'
import type {
  DatabaseCertificate,
  FoundCertificate,
  HostCertificates,
  ServedCertificate,
} from '../../deployment/certificates/hostCertificates.ts'
import { paint } from '../paint.ts'
import { certificateNotes } from './certificateNotes.ts'

/** Writes certificate facts as JSON; null means that there is no certificate or that it is not known. */
export function certificatesJson(shown: {
  readonly cluster: string
  readonly authority?: FoundCertificate['facts']
  readonly hosts: readonly HostCertificates[]
}): string {
  const { cluster, authority = null } = shown
  return jsonText({ cluster, authority, hosts: shown.hosts.map(hostJson) })
}

function hostJson({ onDisk, expected, components, database, ...known }: HostCertificates): object {
  const facts = (one: FoundCertificate | undefined) => one?.facts ?? null
  return {
    ...known,
    onDisk: facts(onDisk),
    ...(expected && { nextInstallWrites: expected.facts }),
    components: components.map(({ served, ...component }) => ({
      ...component,
      served: facts(served),
      ...(served && onDisk && { asOnDisk: served.facts.fingerprint === onDisk.facts.fingerprint }),
    })),
    ...(database && { database: { ...database, served: facts(database.served) } }),
  }
}

type Facts = FoundCertificate['facts']

type Tint = 'red' | 'yellow' | 'green'

/** A certificate, or the reason why there is none, and its location. */
type Row = {
  readonly host: string
  readonly where: string
  readonly facts?: Facts
  /** Text instead of facts. */
  readonly words?: string
  readonly tint?: Tint
}

const titles = ['HOST', 'WHERE', 'SUBJECT', 'ISSUER', 'UNTIL', 'DAYS', 'SHA-256'] as const

/**
 * Writes one row per location of a certificate, or a paragraph on a narrow terminal; below it the names of
 * each certificate, and notes.
 */
export function certificatesText(shown: {
  readonly authority?: Facts
  readonly hosts: readonly HostCertificates[]
  readonly colour: boolean
  /** Columns of the terminal. */
  readonly width: number
}): string {
  const { hosts, colour, width, authority } = shown
  const rows = hosts.flatMap(rowsOf)
  const table = tableOf(rows, colour)
  const fits = table.every((line) => visible(line) <= width)
  const parts = [
    authority === undefined ? [] : wrapped(authorityText(authority), width),
    fits ? table : rows.flatMap((row) => paragraph(row, { colour, width })),
    namesText(hosts, { colour, width }),
    certificateNotes(hosts).flatMap((note) => wrapped(note, width)),
  ]
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')}\n`
}

const wrapped = (text: string, width: number): readonly string[] =>
  wrap(text, { width, first: '', rest: '  ' })

/** Makes text of a certificate printable, since anybody may have made it. */
const safe = (text: string): string => printable(text).replaceAll(/\s/g, ' ')

/** Returns the first 8 bytes of a SHA-256 fingerprint: enough to tell two apart; JSON has all. */
export const shortPrint = (fingerprint: string): string => fingerprint.slice(0, 23)

const daysWords = (days: number): string =>
  days < 0 ? `expired ${-days} days ago` : days === 1 ? '1 day left' : `${days} days left`

const authorityText = ({ subject, notAfter, daysLeft, fingerprint }: Facts): string =>
  `Authority ${subject}: until ${isoDate(notAfter)}, ${daysWords(daysLeft)}, SHA-256 ${shortPrint(fingerprint)}…`

function rowsOf(one: HostCertificates): readonly Row[] {
  const { host, state, onDisk, expected, components, database } = one
  if (state !== 'up') {
    const words = state.replace('-', ' ')
    return [{ host, where: '', words, tint: state === 'not-installed' ? 'yellow' : 'red' }]
  }
  const where = one.origin === 'muster' ? 'on disk' : `on disk (${one.origin})`
  const next = one.origin === 'yours' ? 'your keystore' : 'next install'
  return [
    onDisk === undefined ? { host, where, words: 'none', tint: 'red' } : { host, where, facts: onDisk.facts },
    ...components.map((component) => servedRow(host, component, onDisk)),
    ...(expected === undefined ? [] : [{ host, where: next, facts: expected.facts }]),
    ...(database === undefined ? [] : [databaseRow(host, database)]),
  ]
}

function databaseRow(host: string, { listen, served, unproven }: DatabaseCertificate): Row {
  const where = `database :${listen.port}`
  if (served !== undefined) return { host, where, facts: served.facts }
  return { host, where, words: unproven ? 'did not prove itself' : 'not read', tint: 'red' }
}

function servedRow(host: string, component: ServedCertificate, onDisk: FoundCertificate | undefined): Row {
  const { listen, served } = component
  const where = listen === null ? component.component : `${component.component} :${listen.port}`
  if (listen === null) return { host, where, words: 'API disabled' }
  if (served === undefined) return { host, where, words: 'not read', tint: 'red' }
  if (served.facts.fingerprint !== onDisk?.facts.fingerprint) {
    return { host, where, facts: served.facts, tint: 'red' }
  }
  return { host, where, words: 'as on disk', tint: 'green' }
}

const cellsOf = ({ facts, words = '' }: Row): readonly string[] =>
  facts === undefined
    ? [words]
    : [
        safe(facts.subject),
        safe(facts.issuer),
        isoDate(facts.notAfter),
        String(facts.daysLeft).padStart(titles[5].length),
        shortPrint(facts.fingerprint),
      ]

function tableOf(rows: readonly Row[], colour: boolean): readonly string[] {
  const { bold, dim, ...tints } = paint(colour)
  const all = rows.map((row, index) => {
    const again = row.host === rows[index - 1]?.host
    return [again ? '' : row.host, row.where, ...cellsOf(row)]
  })
  // Text instead of facts spans the columns.
  const widths = titles.map((title, column) =>
    Math.max(
      title.length,
      ...all.map((cells) => (cells.length > 3 || column < 2 ? (cells[column] ?? '').length : 0)),
    ),
  )
  const pad = (cells: readonly string[]): readonly string[] =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0))
  const lines = all.map((cells, index) => {
    const [host = '', where = '', ...rest] = pad(cells)
    const tint = rows[index]?.tint
    const text = rest.join('  ').trimEnd()
    return [bold(host), where, tint === undefined ? text : tints[tint](text)].join('  ').trimEnd()
  })
  return [dim(pad(titles).join('  ').trimEnd()), ...lines]
}

function paragraph(row: Row, { colour, width }: { colour: boolean; width: number }): readonly string[] {
  const { bold, dim: _, ...tints } = paint(colour)
  const head = `${bold(row.host)}${row.where === '' ? '' : ` ${row.where}`}`
  const tint = row.tint === undefined ? (text: string): string => text : tints[row.tint]
  const { facts } = row
  if (facts === undefined) return [`${head}: ${tint(row.words ?? '')}`]
  const lines = [
    `${safe(facts.subject)}, issued by ${safe(facts.issuer)}`,
    `until ${isoDate(facts.notAfter)}, ${daysWords(facts.daysLeft)}`,
    `SHA-256 ${shortPrint(facts.fingerprint)}…`,
  ]
  const text = lines.flatMap((line) => wrap(line, { width, first: '  ', rest: '    ' }))
  return [head, ...text.map(tint)]
}

/** Lists the names of each certificate once for all its locations. */
function namesText(
  hosts: readonly HostCertificates[],
  { colour, width }: { readonly colour: boolean; readonly width: number },
): readonly string[] {
  const { dim } = paint(colour)
  const lines = hosts.flatMap(({ host, onDisk, expected, components, database }) => {
    const found = [onDisk, ...components.map(({ served }) => served), expected, database?.served].filter(
      (one) => one !== undefined,
    )
    const distinct = new Map(found.map(({ facts }) => [facts.fingerprint, facts]))
    return [...distinct.values()].map(({ fingerprint, names }) => {
      const which = distinct.size === 1 ? host : `${host} ${shortPrint(fingerprint)}`
      return { which, names: names.length === 0 ? 'no names' : safe(names.join(', ')) }
    })
  })
  if (lines.length === 0) return []
  const column = Math.max(...lines.map(({ which }) => which.length))
  return [
    dim('VALID FOR'),
    ...lines.flatMap(({ which, names }) => {
      const first = column + 2 > width / 2 ? `${which}: ` : `${which.padEnd(column)}  `
      const rest = column + 2 > width / 2 ? '  ' : ' '.repeat(column + 2)
      return wrap(names, { width, first, rest })
    }),
  ]
}

/** Counts the columns of a line without its colours. */
const visible = (line: string): number => [...stripVTControlCharacters(line)].length
