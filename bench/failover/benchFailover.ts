import { labHere } from '../../test/lab/support/requirements.ts'
import { median } from '../../test/support/writeLoad.ts'
import { type Episode, runEpisode } from './episode.ts'
import { type FaultName, faults } from './faults.ts'
import { startMuster } from './musterSide.ts'
import type { Settings } from './patroniFiles.ts'
import { startPatroni } from './patroniSide.ts'
import { clients } from './side.ts'

const lossless = { synchronous_mode: true, synchronous_mode_strict: true } as const
const defaults = { ttl: 30, loop_wait: 10, retry_timeout: 10, primary_start_timeout: 300 } as const

/**
 * Settings of Patroni, by name. `fastest`: the least that its documentation allows, and a lost server is replaced instead
 * of started again. `defaults`: replication is asynchronous.
 */
const settings = {
  lossless: { ...defaults, ...lossless },
  fastest: { ttl: 20, loop_wait: 1, retry_timeout: 3, primary_start_timeout: 0, ...lossless },
  defaults: { ...defaults, synchronous_mode: false, synchronous_mode_strict: false },
} as const satisfies Readonly<Record<string, Settings>>
type SettingsName = keyof typeof settings

type Pair = { readonly muster: Episode; readonly patroni: Episode }

const limit = 0.5
const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0)
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)
const rounded = (value: number): number => Number(value.toFixed(2))

function figures(episodes: readonly Episode[]) {
  const of = (name: 'withoutWriter' | 'otherPauses' | 'wholeAfter') => {
    const values = episodes.map((it) => it[name])
    return { median: rounded(median(values)), maximum: most(values) }
  }
  return {
    withoutWriter: of('withoutWriter'),
    otherPauses: of('otherPauses'),
    wholeAfter: of('wholeAfter'),
    lost: sum(episodes.map(({ lost }) => lost)),
    broken: rounded(median(episodes.map(({ broken }) => broken))),
    refused: rounded(median(episodes.map(({ refused }) => refused))),
    moved: episodes.filter(({ moved }) => moved).length,
    each: episodes.map(({ withoutWriter }) => withoutWriter),
  }
}

const compared = (pairs: readonly Pair[]) => {
  const muster = figures(pairs.map((it) => it.muster))
  const patroni = figures(pairs.map((it) => it.patroni))
  return {
    ratio: {
      median: rounded(muster.withoutWriter.median / patroni.withoutWriter.median),
      maximum: rounded(muster.withoutWriter.maximum / patroni.withoutWriter.maximum),
    },
    muster,
    patroni,
  }
}

type Compared = ReturnType<typeof compared>

const columns = [
  ...['settings', 'fault', 'without a writer: muster', 'Patroni', 'ratio'],
  ...['lost rows: muster', 'Patroni', 'whole again after: muster', 'Patroni'],
]
const span = (it: { readonly median: number; readonly maximum: number }): string =>
  `${it.median} (${it.maximum})`
const line = (name: string, fault: string, { ratio, muster, patroni }: Compared): string =>
  [
    ...[name, fault, span(muster.withoutWriter), span(patroni.withoutWriter), span(ratio)],
    ...[muster.lost, patroni.lost, span(muster.wholeAfter), span(patroni.wholeAfter)],
  ].join(' | ')

/**
 * `npm run bench -- failover [SETTINGS …] [ROUNDS]`: muster and Patroni in turn, each over three hosts of the lab, under
 * the same faults and clients. All settings and five rounds unless told: an hour and a half on two quiet cores. A table
 * of medians and, in parentheses, maxima in seconds goes to standard error.
 */
export async function benchFailover(parts: readonly string[]): Promise<unknown> {
  if (labHere.missing) return { skipped: `this takes the lab${labHere.needs}` }
  const rounds = Number(parts.find((it) => /^\d+$/.test(it)) ?? 5)
  const named = parts.filter((it) => !/^\d+$/.test(it))
  const all = Object.keys(settings) as SettingsName[]
  const unknown = named.filter((it) => !all.some((one) => one === it))
  if (unknown.length > 0) throw new Error(`no settings ${unknown.join(', ')}; there are ${all.join(', ')}`)
  const chosen = all.filter((it) => named.length === 0 || named.includes(it))
  const [first] = chosen
  if (first === undefined) throw new Error('no settings')
  const muster = await startMuster()
  try {
    const patroni = await startPatroni(settings[first])
    try {
      const results: Record<string, Record<string, Compared>> = {}
      const lines = [columns.join(' | ')]
      for (const name of chosen) {
        await patroni.configure(settings[name])
        const pairs = new Map<FaultName, Pair[]>()
        for (let round = 1; round <= rounds; round += 1) {
          for (const fault of Object.keys(faults) as FaultName[]) {
            const pair = {
              muster: await runEpisode(muster, fault),
              patroni: await runEpisode(patroni, fault),
            }
            process.stderr.write(`${JSON.stringify({ settings: name, round, fault, ...pair })}\n`)
            pairs.set(fault, [...(pairs.get(fault) ?? []), pair])
          }
        }
        const found = [...pairs].map(([fault, of]) => [fault, compared(of)] as const)
        results[name] = Object.fromEntries(found)
        lines.push(...found.map(([fault, it]) => line(name, fault, it)))
      }
      process.stderr.write(`${lines.join('\n')}\n`)
      return { limit: `ratios of at most ${limit}`, rounds, clients, settings, seconds: results }
    } finally {
      await patroni.stop()
    }
  } finally {
    await muster.stop()
  }
}
