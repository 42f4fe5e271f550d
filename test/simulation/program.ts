/**
 * Runs the simulation by hand: `npm run simulate -- SEED` prints what happened in one run, `npm run simulate -- FROM TO` the sums
 * of many and the seeds of those that broke a promise or did not come back by themselves. With `mysql` behind, the servers are
 * MySQL.
 */
import { type Outcome, simulate } from './simulate.ts'

const words = process.argv.slice(2)
const kind = words.includes('mysql') ? 'mysql' : 'mariadb'
const [from = 1, to] = words.filter((it) => it !== kind).map(Number)
const print = (text: string): void => void process.stdout.write(`${text}\n`)

/** Words of the managers without names and numbers, so that what is alike is counted together. */
const kindOf = ({ reasons }: Outcome): string => {
  const words = reasons.map((it) =>
    it
      .replace(/\b0-\d+-\d+\b/g, 'GTID')
      .replace(/\bdb\d\b/g, 'db')
      .replace(/\b\d+\b/g, 'n'),
  )
  return [...new Set(words)].toSorted().join(' | ')
}

if (to === undefined) {
  const { story, violations, reasons } = await simulate(from, kind)
  print(story.join('\n'))
  print(violations.length > 0 ? `broken: ${violations.join('; ')}` : 'no promise was broken')
  print(reasons.length > 0 ? `left to a person: ${reasons.join('; ')}` : 'it came back by itself')
  process.exitCode = violations.length > 0 ? 1 : 0
} else {
  const begun = performance.now()
  const sum = { steps: 0, acknowledged: 0, unprotected: 0, failovers: 0, switches: 0, crashes: 0, whole: 0 }
  const broken: number[] = []
  const left = new Map<string, number[]>()
  for (let seed = from; seed <= to; seed += 1) {
    const it = await simulate(seed, kind)
    for (const name of ['steps', 'acknowledged', 'unprotected', 'failovers', 'switches', 'crashes'] as const)
      sum[name] += it[name]
    if (it.violations.length > 0) broken.push(seed)
    if (it.reasons.length === 0) sum.whole += 1
    else left.set(kindOf(it), [...(left.get(kindOf(it)) ?? []), seed])
  }
  // time: says how fast it is
  const seconds = (performance.now() - begun) / 1000
  print(
    `${to - from + 1} runs in ${seconds.toFixed(1)} s, ${Math.round((sum.steps / seconds) * 60)} steps a minute`,
  )
  print(JSON.stringify(sum))
  print(broken.length > 0 ? `broken promises in the runs of ${broken.join(', ')}` : 'no promise was broken')
  for (const [kind, seeds] of [...left].toSorted((a, b) => b[1].length - a[1].length)) {
    print(`${seeds.length} left to a person (${seeds.slice(0, 5).join(', ')}): ${kind}`)
  }
  process.exitCode = broken.length > 0 ? 1 : 0
}
