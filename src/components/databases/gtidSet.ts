/** Numbers of transactions from one to another, both included. */
type Range = readonly [from: number, to: number]

/**
 * GTIDs that a server has. By source: `uuid` or `uuid:tag` of MySQL, `domain-server` of MariaDB, each with sorted ranges
 * that do not touch.
 */
export type GtidSet = {
  readonly ranges: ReadonlyMap<string, readonly Range[]>
  /**
   * Of MariaDB: the number by domain up to which the server has replicated everything, whoever wrote it. Servers that
   * were made from a backup know their past only so.
   */
  readonly upTo: ReadonlyMap<string, number>
}

export const noGtids: GtidSet = { ranges: new Map(), upTo: new Map() }

/** Bounds of what a server may send: sets of real servers have a few hundred characters. */
const most = { characters: 256 * 1024, ranges: 10_000 }

const isNumber = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

/** Sorts ranges and joins those that touch. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const all: [number, number][] = []
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = all.at(-1)
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else all.push([from, to])
  }
  return all
}

function setOf(found: ReadonlyMap<string, readonly Range[]>, upTo: ReadonlyMap<string, number>): GtidSet {
  return { ranges: new Map([...found].map(([source, ranges]) => [source, joined(ranges)])), upTo }
}

type MariadbGtid = { readonly domain: string; readonly source: string; readonly number: number }

/** Reads a list such as `0-1-35,1-7-2` (domain, server, number); undefined for anything else. */
function readMariadbList(text: string): readonly MariadbGtid[] | undefined {
  if (text.length > most.characters) return undefined
  const parts = text.trim() === '' ? [] : text.split(',')
  if (parts.length > most.ranges) return undefined
  const read = parts.flatMap((part): MariadbGtid[] => {
    const [, domain = '', server = '', digits = ''] =
      /^(\d{1,10})-(\d{1,10})-(\d{1,20})$/.exec(part.trim()) ?? []
    const number = Number(digits)
    return domain !== '' && isNumber(number) ? [{ domain, source: `${domain}-${server}`, number }] : []
  })
  return read.length === parts.length ? read : undefined
}

/**
 * Reads what a MariaDB server has: of its binary log the last number of each source, which stands for all before it, and
 * the position of its replication (mariadb.com/kb/en/gtid, "gtid_binlog_state", "gtid_slave_pos"). Null for any other
 * text, and for one that is too long.
 */
export function readMariadbGtids(written: string, replicated = ''): GtidSet | null {
  const log = readMariadbList(written)
  const position = readMariadbList(replicated)
  if (!log || !position) return null
  const found = new Map<string, Range[]>()
  for (const { source, number } of [...log, ...position]) {
    found.set(source, [...(found.get(source) ?? []), [Math.min(1, number), number]])
  }
  const upTo = new Map<string, number>()
  for (const { domain, number } of position) upTo.set(domain, Math.max(number, upTo.get(domain) ?? 0))
  return setOf(found, upTo)
}

/**
 * Reads a set such as `uuid:1-5:7,\nuuid:tag:1-3` (MySQL 8.4 Reference Manual, "GTID Format and Storage"). Null for any
 * other text, and for one that is too long.
 */
export function readMysqlGtids(text: string): GtidSet | null {
  if (text.length > most.characters) return null
  const found = new Map<string, Range[]>()
  let count = 0
  for (const part of text.trim() === '' ? [] : text.split(',')) {
    const [uuid = '', ...rest] = part.trim().toLowerCase().split(':')
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid) || rest.length === 0) return null
    let source = uuid
    for (const word of rest) {
      count += 1
      if (count > most.ranges) return null
      if (/^[a-z_][a-z0-9_]{0,31}$/.test(word)) {
        source = `${uuid}:${word}`
        continue
      }
      const [, first = '', last = first] = /^(\d{1,20})(?:-(\d{1,20}))?$/.exec(word) ?? []
      const [from, to] = [Number(first), Number(last)]
      if (first === '' || !isNumber(from) || !isNumber(to) || to < from) return null
      const ranges = found.get(source) ?? []
      ranges.push([from, to])
      found.set(source, ranges)
    }
  }
  return setOf(found, new Map())
}

/** Returns the parts of a range that none of the sorted ranges covers. */
function uncovered([from, to]: Range, covers: readonly Range[]): readonly Range[] {
  const parts: Range[] = []
  let next = from
  for (const [first, last] of covers) {
    if (last < next) continue
    if (first > to) break
    if (first > next) parts.push([next, first - 1])
    next = last + 1
  }
  return next <= to ? [...parts, [next, to]] : parts
}

/** Returns true for a source whose transactions that server writes: by its number in MariaDB, by its UUID in MySQL. */
export const isWrittenBy = (server: number | string, source: string): boolean =>
  source === server || source.startsWith(`${server}:`) || source.endsWith(`-${server}`)

/** Returns what the first set has and the second has not, but for that of the sources in `except`. */
export function missingGtids(
  has: GtidSet,
  lacks: GtidSet,
  isExcepted: (source: string) => boolean = () => false,
): GtidSet {
  const found = new Map<string, readonly Range[]>()
  for (const [source, ranges] of has.ranges) {
    if (isExcepted(source)) continue
    const domain = /^(\d+)-\d+$/.exec(source)?.[1]
    const upTo = domain === undefined ? undefined : lacks.upTo.get(domain)
    const known = lacks.ranges.get(source) ?? []
    const covers = upTo === undefined ? known : joined([...known, [0, upTo]])
    const missing = ranges.flatMap((range) => uncovered(range, covers))
    if (missing.length > 0) found.set(source, missing)
  }
  return { ranges: found, upTo: new Map() }
}

/** Returns the set without the last numbers of some sources. */
export function withoutLast(
  { ranges, upTo }: GtidSet,
  count: number,
  isMeant: (source: string) => boolean,
): GtidSet {
  const cut = ([source, its]: readonly [string, readonly Range[]]): readonly [string, readonly Range[]] => {
    const end = (its.at(-1)?.[1] ?? 0) - count
    if (!isMeant(source)) return [source, its]
    return [source, its.flatMap(([from, to]): Range[] => (from > end ? [] : [[from, Math.min(to, end)]]))]
  }
  return { ranges: new Map([...ranges].map(cut)), upTo }
}

/** Returns true if the first set has all that the second has. */
export const containsGtids = (has: GtidSet, wanted: GtidSet): boolean =>
  missingGtids(wanted, has).ranges.size === 0

/** Returns all that any of the sets has. */
export function uniteGtids(sets: readonly GtidSet[]): GtidSet {
  const ranges = new Map<string, readonly Range[]>()
  const upTo = new Map<string, number>()
  for (const set of sets) {
    for (const [source, its] of set.ranges) ranges.set(source, [...(ranges.get(source) ?? []), ...its])
    for (const [domain, number] of set.upTo) upTo.set(domain, Math.max(number, upTo.get(domain) ?? 0))
  }
  return setOf(ranges, upTo)
}

/** Returns the number of transactions in a set. */
export const countGtids = ({ ranges }: GtidSet): number =>
  [...ranges.values()].flat().reduce((sum, [from, to]) => sum + to - from + 1, 0)

/** Writes how many transactions a set has: `1 transaction`. */
export function countText(gtids: GtidSet): string {
  const count = countGtids(gtids)
  return `${count} ${count === 1 ? 'transaction' : 'transactions'}`
}

/** Names GTIDs for people, the first few of many. Of MariaDB it names the last number of a source: the log says no more. */
export function gtidText({ ranges }: GtidSet, count = 3): string {
  const names = [...ranges].flatMap(([source, all]) =>
    /^\d+-\d+$/.test(source)
      ? [`${source}-${all.at(-1)?.[1]}`]
      : all.map(([from, to]) => `${source}:${from === to ? from : `${from}-${to}`}`),
  )
  const more = names.length > count ? ` and ${names.length - count} more` : ''
  return `${names.slice(0, count).join(', ')}${more}`
}
