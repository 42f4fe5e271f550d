import { type Acknowledged, median, type WriteLoad } from '../../support/writeLoad.ts'

/** Result of one fault, or of two at once. */
export type FaultResult = {
  readonly seed: number
  readonly faults: readonly { readonly kind: string; readonly role: string; readonly host: string }[]
  readonly primary: string
  readonly successor: string
  /** Longest time between two acknowledged rows of any clients, in milliseconds. */
  readonly withoutWriter: number
  /** Milliseconds from the repair until all servers follow one primary and all managers see that. */
  readonly home: number
  readonly rows: number
  /** Clients that were refused or cut, by what they were told. */
  readonly refused: Readonly<Record<string, number>>
  /** Answers of the product that named an action of a person, which was done. */
  readonly person: readonly string[]
  /** Sessions of clients that are gone, which the primary still had. */
  readonly orphans: number
  /** Moments at which two servers could be written, whether they acknowledged anything or not. */
  readonly bothWritable: number
  /** Findings that must not be. */
  readonly defects: readonly string[]
}

/** Returns the longest time between two acknowledged rows from one moment to another. */
export function longestGap(loads: readonly WriteLoad[], begin: number, end: number): number {
  const ends = loads.flatMap(({ acknowledged }) => acknowledged.map((it) => it.end)).toSorted((a, b) => a - b)
  const before = ends.findLast((it) => it <= begin) ?? begin
  const within = [before, ...ends.filter((it) => it > begin && it <= end)]
  return within.reduce((most, it, index) => Math.max(most, it - (within[index - 1] ?? it)), 0)
}

/** Returns what clients were told when they were refused, without numbers and addresses, and how often. */
export function refusals(loads: readonly WriteLoad[], begin: number): Readonly<Record<string, number>> {
  const counted: Record<string, number> = {}
  for (const { at, message } of loads.flatMap(({ failures }) => failures)) {
    if (at < begin) continue
    const words = message.replaceAll(/\d+/g, 'N').slice(0, 200)
    counted[words] = (counted[words] ?? 0) + 1
  }
  return counted
}

/**
 * Returns the rows that a server acknowledged between two rows of another one: none of two that take turns without a
 * takeover in between. A takeover takes longer than `apart` milliseconds.
 */
export function interleaved(
  loads: readonly WriteLoad[],
  serverOf: ReadonlyMap<string, number>,
  apart = 200,
): readonly string[] {
  const keyOf = ({ client, seq }: Acknowledged): string => `${client}:${seq}`
  const all = loads.flatMap(({ acknowledged }) =>
    acknowledged.flatMap((it) => {
      const server = serverOf.get(keyOf(it))
      return server === undefined ? [] : [{ key: keyOf(it), server, begin: it.begin, end: it.end }]
    }),
  )
  const servers = [...new Set(all.map(({ server }) => server))]
  return servers.flatMap((server) => {
    const own = all.filter((it) => it.server === server)
    const others = all.filter((it) => it.server !== server).toSorted((a, b) => a.end - b.end)
    return own.flatMap(({ key, begin, end }) => {
      const before = others.findLast((it) => it.end < begin)
      const after = others.find((it) => it.begin > end)
      const isBetween = before && after && begin - before.end < apart && after.begin - end < apart
      return isBetween && before.server === after.server ? [key] : []
    })
  })
}

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ??
  Number.NaN

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1).padStart(6)

/** Returns the figures of faults as a table, one line for each kind and one for all. */
export function faultTable(results: readonly FaultResult[]): string {
  const kindOf = ({ faults }: FaultResult): string =>
    faults.length > 1 ? 'two at once' : faults.map(({ kind, role }) => `${kind} (${role})`).join()
  const line = (name: string, some: readonly FaultResult[]): string => {
    const cells = [some.map((it) => it.withoutWriter), some.map((it) => it.home)].flatMap((values) =>
      [median(values), quantile(values, 0.95), Math.max(...values)].map(seconds),
    )
    const persons = some.filter(({ person }) => person.length > 0).length
    const defects = some.filter((it) => it.defects.length > 0).length
    const counts = [persons, defects].map((it) => String(it).padStart(7))
    return [name.padEnd(70), String(some.length).padStart(5), ...cells, ...counts].join(' ')
  }
  const kinds = [...new Set(results.map(kindOf))].toSorted()
  const columns = 'faults  no writer: median, 95 %, most  home: median, 95 %, most  persons defects'
  return [
    columns.padStart(70 + columns.length + 1),
    ...kinds.map((kind) =>
      line(
        kind,
        results.filter((it) => kindOf(it) === kind),
      ),
    ),
    line('all', results),
  ].join('\n')
}
