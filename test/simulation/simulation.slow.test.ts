import { readFileSync } from 'node:fs'
import { transformSync } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { type Outcome, simulate } from './simulate.ts'

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1)

/**
 * Seeds by kind of server, and the share of clusters that come back by themselves. 4147: a replica is started during a failover,
 * and goes back to the lost primary. A MySQL that is killed while its commits wait has transactions of its own.
 */
const kinds = [
  { kind: 'mariadb', name: 'MariaDB', seeds: [...range(240), 4147], whole: 0.95 },
  { kind: 'mysql', name: 'MySQL', seeds: range(60), whole: 0.85 },
] as const

/** Prints what happened in the run of a seed, for whoever looks for the cause. */
const storyOf = ({ seed, violations, reasons, story }: Outcome): string =>
  [`seed ${seed}`, ...story, ...violations, ...reasons].join('\n')

describe('a cluster of managers and databases in a simulation', () => {
  it('does the same again with the same seed', async () => {
    const [one, other] = [await simulate(7), await simulate(7)]
    const steps = ({ story }: Outcome): readonly string[] =>
      story.map((line) => line.replace(/[0-9a-f-]{36}/, 'ID'))
    expect(steps(one)).toEqual(steps(other))
    expect(one.story.length).toBeGreaterThan(20)
  })

  it('has faults to be planted in lines that are there', () => {
    type Fault = { readonly file: string; readonly line: string; readonly becomes: string }
    const faults: readonly Fault[] = JSON.parse(readFileSync(new URL('faults.json', import.meta.url), 'utf8'))
    for (const { file, line, becomes } of faults) {
      const path = new URL(`../../src/components/manager/${file}`, import.meta.url)
      const text = readFileSync(path, 'utf8')
      expect(text.split(line), `${file}: ${line}`).toHaveLength(2)
      // Throws where that is no program any more.
      transformSync(text.replace(line, becomes), { loader: 'ts' })
    }
    expect(faults.length).toBeGreaterThan(40)
  })

  it.each(kinds)(
    'loses nothing of $name that a client was told, has no two writers, and comes back by itself, whatever fails',
    async ({ kind, seeds, whole }) => {
      const sum = { acknowledged: 0, failovers: 0, switches: 0, crashes: 0, whole: 0 }
      const broken: Outcome[] = []
      for (const seed of seeds) {
        const it = await simulate(seed, kind)
        if (it.violations.length > 0) broken.push(it)
        for (const name of ['acknowledged', 'failovers', 'switches', 'crashes'] as const)
          sum[name] += it[name]
        if (it.reasons.length === 0) sum.whole += 1
      }
      expect(broken.map(storyOf).join('\n\n')).toBe('')
      // What is tried has to happen at all.
      expect(sum.failovers).toBeGreaterThan(seeds.length * 0.7)
      expect(sum.switches).toBeGreaterThan(seeds.length * 0.1)
      expect(sum.crashes).toBeGreaterThan(seeds.length * 0.05)
      expect(sum.acknowledged).toBeGreaterThan(seeds.length * 300)
      expect(sum.whole / seeds.length).toBeGreaterThan(whole)
    },
  )
})
