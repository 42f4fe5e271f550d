import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WriteLoad } from '../../support/writeLoad.ts'
import { eventually } from '../support/eventually.ts'
import type { LabHost } from '../support/labTypes.ts'
import { labHere } from '../support/requirements.ts'
import { sql } from './databases.ts'
import { type FaultResult, faultTable, interleaved, longestGap, refusals } from './faultFigures.ts'
import { type DrawnFault, dataFolder, drawFaults, faultKinds } from './faultKinds.ts'
import { comeHome } from './homecoming.ts'
import { protectedNow, startLosslessCluster } from './losslessCluster.ts'
import type { ServerKind } from './serverKind.ts'
import type { SwitchCluster } from './switchCluster.ts'

/** Seed of the first fault; the next one has the next number. A fault is repeated alone by its seed. */
const firstSeed = Number(process.env.MUSTER_LAB_SEED || 20_260_101)
/** Number of faults; those of each run unless told. */
const wanted = Number(process.env.MUSTER_LAB_FAULTS || 0)

const clients = { each: 12, kept: 12 } as const

// time: longer than connectors hold a client; the pace leaves the machine to several clusters at once.
const patience = { timeout: 12_000, pace: 300 } as const

/** Milliseconds after a fault in which a client writes again; a measured run has the machine to itself. */
const withWriter = wanted > 0 ? 30_000 : 120_000

/** Hosts of the faults of one seed. */
type Struck = { readonly fault: DrawnFault; readonly at: LabHost; readonly others: readonly LabHost[] }

/** Gives each fault its host; the second one has another than the first. */
function placeFaults(lab: SwitchCluster, primary: LabHost, faults: readonly DrawnFault[]): readonly Struck[] {
  const replicas = lab.members.filter((it) => it !== primary)
  const struck: Struck[] = []
  for (const fault of faults) {
    const meant = fault.role === 'primary' ? primary : replicas[fault.replica]
    const free = lab.members.filter((it) => struck.every(({ at }) => at !== it))
    const at = free.find((it) => it === meant) ?? free[0]
    if (!at) throw new Error('more faults than hosts')
    struck.push({ fault, at, others: lab.members.filter((it) => it !== at) })
  }
  return struck
}

/** Journals of the managers and servers since a moment. */
async function journals(lab: SwitchCluster, since: number): Promise<string> {
  const script = `journalctl --no-pager -o short-precise --since=@${Math.floor(since / 1000)} --unit 'muster*' --unit ${lab.cluster.kind.unit} | grep -v '"msg":"call"\\|Aborted connection' | tail -n 200`
  const all = lab.members.map(async (it) => {
    const { stdout, stderr } = await it.run(script)
    return `--- journal of ${it.name}\n${stdout || stderr}`
  })
  return (await Promise.all(all)).join('\n')
}

/** Ends what is left of sessions of clients that are gone, which nobody told the server; returns how many there were. */
async function endOrphans(lab: SwitchCluster, primary: LabHost): Promise<number> {
  const left = await lab.ask(
    primary,
    "SELECT id FROM information_schema.processlist WHERE user = 'app' AND time > 5",
  )
  for (const { id } of left) await lab.ask(primary, `KILL ${id}`).catch(() => undefined)
  return left.length
}

/** Lets the faults of a seed happen, repairs them, and finds out what came of it. */
async function tryFaults(lab: SwitchCluster, seed: number): Promise<FaultResult> {
  const begun = Date.now()
  const primary = await lab.settled()
  await protectedNow(lab)
  const struck = placeFaults(lab, primary, drawFaults(seed, faultKinds(lab.cluster.kind)))
  const loads: readonly WriteLoad[] = [
    lab.load(clients, lab.members, patience),
    lab.loadBeside(patience.timeout),
  ]
  const acknowledged = () => loads.flatMap((it) => it.acknowledged)
  const sampler = lab.sample(50)
  const defects: string[] = []
  try {
    await eventually('rows of all clients', () => {
      if (acknowledged().length > 200) return true
      throw new Error(`${acknowledged().length} rows; ${JSON.stringify(refusals(loads, 0))}`)
    })
    const strikes: { readonly at: number; readonly done: Promise<unknown> }[] = []
    for (const { fault, at, others } of struck) {
      // time: the fault's own, by its seed.
      await delay(fault.delay)
      strikes.push({ at: performance.now(), done: fault.kind.strike(at, others) })
    }
    const struckAt = strikes[0]?.at ?? 0
    await Promise.all(strikes.map(({ done }) => done))
    const longest = Math.max(...struck.map(({ fault }) => fault.duration))
    if (struck.length === 1) {
      await eventually(
        'a row after the fault',
        () => acknowledged().some(({ begin }) => begin > struckAt + 100),
        { timeout: withWriter },
      ).catch(() => defects.push(`no writer within ${withWriter / 1000} s`))
    }
    // time: the fault's own, by its seed.
    await delay(Math.max(0, longest - (performance.now() - struckAt)))
    for (const { fault, at, others } of struck) await fault.kind.repair(at, others)
    const repairedAt = performance.now()
    const { person, defects: left } = await comeHome(lab)
    defects.push(...left)
    const homeAt = performance.now()
    const had = acknowledged().length
    await eventually('rows of clients after it', () => acknowledged().length > had + 100)
    await Promise.all(loads.map((it) => it.stop()))
    const successor = await lab.replicated()
    let rows: ReadonlyMap<string, number> = new Map()
    for (const load of loads) {
      const found = await lab.missing(load)
      rows = found.rows
      for (const [name, keys] of Object.entries(found.missing)) {
        if (keys.length > 0)
          defects.push(`${name} lacks ${keys.length} acknowledged rows: ${keys.slice(0, 5)}`)
      }
    }
    const between = interleaved(loads, rows)
    if (between.length > 0) defects.push(`two servers acknowledged at the same time: ${between.slice(0, 5)}`)
    const orphans = await endOrphans(lab, successor)
    const result: FaultResult = {
      seed,
      faults: struck.map(({ fault, at }) => ({
        kind: fault.kind.name,
        role: at === primary ? 'primary' : 'replica',
        host: at.name,
      })),
      primary: primary.name,
      successor: successor.name,
      withoutWriter: Math.round(longestGap(loads, struckAt, homeAt)),
      home: Math.round(homeAt - repairedAt),
      rows: acknowledged().length,
      refused: refusals(loads, struckAt),
      person,
      orphans,
      bothWritable: sampler.overlaps().length,
      defects,
    }
    process.stdout.write(`random fault: ${JSON.stringify(result)}\n`)
    if (defects.length > 0 || (wanted > 0 && result.home > 10_000))
      process.stdout.write(`${await journals(lab, begun)}\n`)
    await lab.ask(successor, 'TRUNCATE shop.load_rows')
    return result
  } catch (cause) {
    const words = struck.map(({ fault, at }) => `${fault.kind.name} at ${at.name}`).join(', ')
    process.stdout.write(`${await journals(lab, begun).catch(String)}\n`)
    throw new Error(
      `seed ${seed} (${words}, primary ${primary.name}): ${(cause as Error).message} ${(cause as Error).cause}`,
      {
        cause,
      },
    )
  } finally {
    await Promise.all([...loads.map((it) => it.stop()), sampler.stop()])
  }
}

/** Tests faults of servers of a kind by seed: `sample` of them, unless the environment tells how many. */
export function testRandomFaults(kind: ServerKind, sample: number): void {
  const title = `faults of ${kind.name} that are drawn at random, under clients${labHere.needs}`
  const count = wanted || sample
  describe.skipIf(labHere.missing)(title, () => {
    let lab: SwitchCluster
    beforeAll(async () => {
      lab = await startLosslessCluster({ kind: { ...kind, base: { ...kind.base, disk: dataFolder } } })
      // Its base may have to be made first.
    }, 3_600_000)
    afterAll(() => lab?.stop())

    it(`lose no acknowledged row, and end with a whole cluster: ${count} from seed ${firstSeed} on`, {
      timeout: 300_000 * count,
    }, async () => {
      const results: FaultResult[] = []
      try {
        for (let seed = firstSeed; seed < firstSeed + count; seed += 1)
          results.push(await tryFaults(lab, seed))
      } finally {
        process.stdout.write(`random faults of ${kind.name}\n${faultTable(results)}\n`)
      }
      expect(results.filter(({ defects }) => defects.length > 0)).toEqual([])
      // A measured run has the machine to itself.
      if (wanted === 0) return
      const persons = results.filter(({ person }) => person.length > 0)
      const home = results.filter((it) => it.home <= 10_000 && !persons.includes(it))
      expect(home.length, 'whole within ten seconds').toBeGreaterThanOrEqual(0.95 * (count - persons.length))
    })

    it('would be found out by one row that one server lost', async () => {
      const replica = lab.after(await lab.settled())
      const load = lab.load({ each: 1, kept: 1 })
      await eventually('rows of the clients', () => load.acknowledged.length > 20)
      await load.stop()
      await lab.replicated()
      const lost = load.acknowledged[7]
      const where = `client = ${lost?.client} AND seq = ${lost?.seq}`
      const statements = `SET sql_log_bin = 0; DELETE FROM shop.load_rows WHERE ${where}; SET sql_log_bin = 1`
      await sql(replica, kind.writeToReplica(statements))
      const nothing = Object.fromEntries(lab.members.map(({ name }) => [name, []]))
      expect((await lab.missing(load)).missing).toEqual({
        ...nothing,
        [replica.name]: [`${lost?.client}:${lost?.seq}`],
      })
    })
  })
}
