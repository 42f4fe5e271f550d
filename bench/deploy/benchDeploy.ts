import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { missingForLab } from '../../test/lab/support/requirements.ts'
import { againstAnsible } from './againstAnsible.ts'
import { againstFloor } from './floor.ts'
import { type BenchHosts, startHosts } from './hosts.ts'
import { manyHosts } from './manyHosts.ts'
import { roundTrips } from './roundTrips.ts'

/** Parts that want the lab, and how many of its hosts. */
const inLab = { trips: 1, floor: 10, ansible: 10 } as const
type LabPart = keyof typeof inLab
const labParts: readonly LabPart[] = ['trips', 'floor', 'ansible']
const parts = [...labParts, 'many'] as const

/**
 * `npm run bench -- deploy [PART …]`: round trips of one host, ten hosts against one script each and against Ansible,
 * and a thousand simulated ones. All parts unless some are named.
 */
export async function benchDeploy(named: readonly string[]): Promise<unknown> {
  const unknown = named.filter((name) => !parts.some((part) => part === name))
  if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}; there are ${parts.join(', ')}`)
  const wanted = (part: (typeof parts)[number]): boolean => named.length === 0 || named.includes(part)
  const figures: Record<string, unknown> = {}
  const lab = labParts.filter(wanted)
  if (lab.length > 0) Object.assign(figures, await inTheLab(lab))
  if (wanted('many')) figures.many = await manyHosts()
  return figures
}

async function inTheLab(wanted: readonly LabPart[]): Promise<object> {
  const missing = missingForLab()
  if (missing.length > 0) return { skipped: `this needs ${missing.join(', ')}` }
  const bench = await startHosts(Math.max(...wanted.map((part) => inLab[part])))
  try {
    const figures: Record<string, unknown> = {}
    for (const part of wanted) {
      figures[part] = await run(part, bench)
      // At once, too: a later part may fail.
      process.stderr.write(`${JSON.stringify({ [part]: figures[part] })}\n`)
    }
    return figures
  } finally {
    await bench.lab.stop()
  }
}

async function run(part: LabPart, bench: BenchHosts): Promise<unknown> {
  const [host] = bench.hosts
  if (host === undefined) throw new Error('a lab without a host')
  if (part === 'trips') return roundTrips(bench.lab, host)
  const authority = () => readFileSync(join(bench.operator.directory, '.muster/alpha/authority.crt'), 'utf8')
  if (part === 'floor') return againstFloor(bench, authority)
  const { figures, log } = await againstAnsible(bench)
  if (log !== '') writeFileSync(resolve('bench/deploy/ansible/log.txt'), log)
  return figures
}
