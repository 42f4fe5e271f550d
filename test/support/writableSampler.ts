import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, type ConnectionOptions, createConnection, type RowDataPacket } from 'mysql2/promise'

/** An answer to `@@read_only`: it was true at some moment between the question and the answer. */
type Sample = {
  readonly sent: number
  readonly received: number
  readonly isWritable: boolean
  /** Connection that it came over: on one connection it is one run of one server. */
  readonly connection: number
}

/** Two servers that could be written at the same moment. */
export type Overlap = { readonly servers: readonly [string, string]; readonly at: number }

export type WritableSampler = {
  /** Servers that could be written at the last look. */
  writable(): readonly string[]
  /** Moments at which two could be written. */
  overlaps(): readonly Overlap[]
  /** Number of samples of each server, and the longest time between two. */
  coverage(): Readonly<Record<string, { readonly samples: number; readonly longestGap: number }>>
  /** First sample after a moment that found the server so. */
  first(server: string, isWritable: boolean, after: number): number | undefined
  stop(): Promise<void>
}

/**
 * Returns the moments at which `one` could be written while `other` could, too: a sample of one that lies whole between
 * two successive ones of the other, both writable and over one connection. Samples that only touch prove nothing, since
 * the order of what happened within them is not known.
 */
function overlapsOf(one: readonly Sample[], other: readonly Sample[]): readonly number[] {
  const found: number[] = []
  let next = 0
  for (const it of one) {
    if (!it.isWritable) continue
    while (next < other.length && (other[next]?.sent ?? 0) < it.received) next += 1
    const after = other[next]
    // The last one that was answered before it was asked.
    let before = next - 1
    while (before >= 0 && (other[before]?.received ?? 0) > it.sent) before -= 1
    const between = other.slice(before, next)
    if (before < 0 || !after?.isWritable) continue
    if (between.every((sample) => sample.isWritable && sample.connection === after.connection))
      found.push(it.sent)
  }
  return found
}

/** Asks servers for `@@read_only` every 10 ms, over a connection to each that is opened again when it ends. */
export function sampleWritable(
  servers: Readonly<Record<string, () => ConnectionOptions>>,
  every = 10,
): WritableSampler {
  const names = Object.keys(servers)
  const samples = new Map<string, Sample[]>(names.map((name) => [name, []]))
  const of = (name: string): Sample[] => samples.get(name) ?? []
  let isStopped = false
  let connections = 0

  async function look(name: string, open: () => ConnectionOptions): Promise<void> {
    let connection: Connection | undefined
    let number = 0
    while (!isStopped) {
      const sent = performance.now()
      try {
        if (connection === undefined) {
          connection = await createConnection({ ...open(), connectTimeout: 1000 })
          connection.on('error', () => undefined)
          connections += 1
          number = connections
          continue
        }
        const [rows] = await connection.query<RowDataPacket[]>({
          sql: 'SELECT @@GLOBAL.read_only AS it',
          timeout: 2000,
        })
        const received = performance.now()
        of(name).push({ sent, received, isWritable: Number(rows[0]?.it) === 0, connection: number })
      } catch {
        connection?.destroy()
        // One that was cut is opened again at once, one that cannot be opened is tried in a while.
        // time: a rest between two tries.
        if (connection === undefined) await delay(every)
        connection = undefined
        continue
      }
      // time: the pace of the samples.
      await delay(Math.max(0, every - (performance.now() - sent)))
    }
    connection?.destroy()
  }
  const looking = Object.entries(servers).map(([name, open]) => look(name, open))

  return {
    writable: () => names.filter((name) => of(name).at(-1)?.isWritable === true),
    overlaps: () =>
      names.flatMap((one) =>
        names
          .filter((other) => other !== one)
          .flatMap((other) =>
            overlapsOf(of(one), of(other)).map((at): Overlap => ({ servers: [one, other], at })),
          ),
      ),
    coverage: () =>
      Object.fromEntries(
        names.map((name) => {
          const all = of(name)
          const gaps = all
            .slice(1)
            .map(({ received }, index) => received - (all[index]?.received ?? received))
          return [
            name,
            { samples: all.length, longestGap: Math.round(gaps.reduce((a, b) => Math.max(a, b), 0)) },
          ]
        }),
      ),
    first: (name, isWritable, after) =>
      of(name).find((it) => it.sent >= after && it.isWritable === isWritable)?.received,
    stop: async () => {
      isStopped = true
      await Promise.all(looking)
    },
  }
}
