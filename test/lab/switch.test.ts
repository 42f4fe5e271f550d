import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { comeAsStrangers } from '../support/strangers.ts'
import { failuresOf, figuresOf, secondsOfErrors } from '../support/switchFigures.ts'
import { type Span, takenByFormer, type WriteLoad, writtenUnanswered } from '../support/writeLoad.ts'
import { connectClient } from './scenario/client.ts'
import { clientPorts } from './scenario/databaseCluster.ts'
import { sql } from './scenario/databases.ts'
import { usualKind } from './scenario/serverKind.ts'
import { type SwitchCluster, startSwitchCluster } from './scenario/switchCluster.ts'
import { eventually } from './support/eventually.ts'
import type { LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const switches = Number(process.env.MUSTER_LAB_SWITCHES || 6)
/** Milliseconds that connectors hold a client: no switch takes so long, however busy the machine is. */
const maxHold = 30_000
const forty = { each: 20, kept: 20 } as const

/** Prints what was measured: the reader of a run judges it, and a busy machine does not fail it. */
const report = (what: string, figures: unknown): void => {
  process.stdout.write(`\nfigures of ${what}: ${JSON.stringify(figures)}\n`)
}

/** A change of the primary under a load. */
type Change = Span & { readonly from: LabHost; readonly to: LabHost }

/** Milliseconds without a turn after which a client of this process may be taken for idle; a switch gives new ones 500. */
const longPause = 250

/** Watches when this process has no turn, and all its clients with it. */
function watchTurns() {
  const pauses: Span[] = []
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    if (now - last >= longPause) pauses.push({ begin: last, end: now })
    last = now
  }, 20)
  return { pauses, stop: () => clearInterval(timer) }
}

/** Returns a load without the connections that were cut after their client had done nothing, since this process had no turn. */
function attentive(load: WriteLoad, pauses: readonly Span[]): WriteLoad {
  const isExcused = ({ message, begin, at }: WriteLoad['failures'][number]): boolean =>
    message.startsWith('Connection lost') && pauses.some((it) => it.begin < at && it.end > begin)
  return { ...load, failures: load.failures.filter((it) => !isExcused(it)) }
}

const thatFail = (failures: Readonly<Record<string, number>>, words: RegExp): readonly string[] =>
  Object.keys(failures).filter((it) => words.test(it))

describe.skipIf(labHere.missing)(`a switch of the primary${labHere.needs}`, () => {
  let lab: SwitchCluster

  /** Changes the primary to the next member, and tells when that was. */
  async function change(way: (to: LabHost) => Promise<unknown>): Promise<Change> {
    const from = await lab.primary()
    const to = lab.after(from)
    const begin = performance.now()
    await way(to)
    return { from, to, begin, end: performance.now() }
  }
  /** Waits until each client of a load has written again: what a change had made of its connection is over. */
  async function writtenByAll(load: WriteLoad): Promise<void> {
    const since = performance.now()
    await eventually('rows of all clients', () => {
      const found = new Set(
        load.acknowledged.filter(({ begin }) => begin > since).map(({ client }) => client),
      )
      return found.size === forty.each + forty.kept
    })
  }
  const byTapi = (at: LabHost) => async (to: LabHost) => {
    const outcome = await lab.switchTo(to, at)
    expect(outcome, `${outcome.stdout}${outcome.stderr}`).toMatchObject({ code: 0 })
  }
  beforeAll(async () => {
    lab = await startSwitchCluster([], usualKind, maxHold)
    await lab.install()
  })
  afterAll(() => lab?.stop())

  it('would be seen by the sampler if two servers could be written for some hundredths of a second', async () => {
    const sampler = lab.sample()
    const administrator = await lab.administer(lab.member('db2'))
    try {
      await eventually('a sample', () => sampler.writable().length === 1)
      await delay(300)
      expect(sampler.overlaps()).toEqual([])
      // Again where the sampler itself had no turn meanwhile.
      await eventually('two writable servers', async () => {
        await administrator.query('SET GLOBAL read_only = 0')
        await delay(50)
        await administrator.query('SET GLOBAL read_only = 1')
        await delay(50)
        return sampler.overlaps().length > 0
      })
    } finally {
      administrator.destroy()
      await sampler.stop()
    }
    await lab.settled()
  })

  it(`loses no row and no client that connects for each transaction, ${switches} times round three servers`, async () => {
    const loop = monitorEventLoopDelay({ resolution: 5 })
    const load = lab.load(forty)
    const sampler = lab.sample()
    const ours: Change[] = []
    const hands: Change[] = []
    const usual: Change[] = []
    await delay(3000)
    loop.enable()
    const turns = watchTurns()
    const before = { at: performance.now(), rows: load.acknowledged.length, cpu: process.cpuUsage() }
    for (let round = 0; round < switches; round += 1) {
      ours.push(await change(byTapi(lab.members[round % 3] ?? lab.member('db1'))))
      await delay(1500)
      const begun = await change(lab.byHand)
      await delay(1500)
      await writtenByAll(load)
      // What goes wrong for clients afterwards is its, too.
      hands.push(begun)
    }
    const seconds = (performance.now() - before.at) / 1000
    const cpu = process.cpuUsage(before.cpu)
    const delays = { p99: Math.round(loop.percentile(99) / 1e6), maximum: Math.round(loop.max / 1e6) }
    loop.disable()
    for (let round = 0; round < 3; round += 1) {
      await lab.settled()
      usual.push(
        await change(async (to) => {
          await lab.withoutHolding(to)
          await delay(15_000)
        }),
      )
    }
    await load.stop()
    await sampler.stop()
    turns.stop()
    const { missing, rows } = await lab.missing(load)

    const all = [...ours, ...hands, ...usual]
    const own = figuresOf(load, ours, all)
    const hand = figuresOf(load, hands, all)
    report('switches', {
      ...own,
      ratio: Number((own.hold.median / hand.hold.median).toFixed(2)),
      byHand: hand,
      withoutHolding: figuresOf(load, usual, all),
      writtenUnanswered: Object.fromEntries(
        [['ours', ours] as const, ['byHand', hands] as const].map(([name, changes]) => [
          name,
          changes
            .flatMap((it) => writtenUnanswered(load, rows, it))
            .map(({ kind }) => kind)
            .join(' '),
        ]),
      ),
      failedEach: ours.flatMap((it) =>
        load.failures
          .filter(({ at, kind }) => kind === 'each' && at >= it.begin && at <= it.end)
          .map(({ client, seq, at }) => {
            const login = load.logins.findLast((one) => one.client === client && one.end <= at)
            return {
              written: rows.has(`${client}:${seq}`),
              afterReadOnly: Math.round(
                at - (sampler.first(it.from.name, false, it.begin) ?? Number.POSITIVE_INFINITY),
              ),
              afterLogin: Math.round(at - (login?.end ?? at)),
              loginTook: Math.round((login?.end ?? 0) - (login?.begin ?? 0)),
            }
          }),
      ),
      secondsOfErrors: usual.map((it) => secondsOfErrors(load, it)),
      load: { rowsPerSecond: Math.round(load.acknowledged.length / seconds), rows: load.acknowledged.length },
      pauses: turns.pauses.map(({ begin, end }) => Math.round(end - begin)),
      driver: { cores: Number(((cpu.user + cpu.system) / 1e6 / seconds).toFixed(2)), delays },
      samples: sampler.coverage(),
    })
    expect(missing).toEqual({ db1: [], db2: [], db3: [] })
    expect(sampler.overlaps()).toEqual([])
    for (const it of [...ours, ...hands, ...usual]) {
      const servers = { former: lab.numberOf(it.from), successor: lab.numberOf(it.to) }
      expect(takenByFormer(load, rows, { ...servers, window: it })).toEqual([])
    }
    // From the call to a moment before the next thing happens.
    const windows = ours.map(({ begin, end }) => ({ begin, end: end + 1400 }))
    const failures = failuresOf(attentive(load, turns.pauses), windows)
    expect(thatFail(failures, /^each /)).toEqual([])
    expect(thatFail(failures, / connect: /)).toEqual([])
    expect(thatFail(failures, /read-only/)).toEqual([])
    // A client that had no turn while a switch ran did not log in.
    expect(own.hold.of).toBeGreaterThan(switches * 36)
    expect(own.hold.maximum).toBeLessThan(maxHold)
  })

  it('completes while strangers hold every port, and so does all that stops, drains, renews and locks', async () => {
    const { operator } = lab.cluster
    const apis = [8090, 8096, 8097].map((port) => ({ port }))
    const silent = [clientPorts.writes, clientPorts.reads, 3306].map((port) => ({
      port,
      silent: true as const,
    }))
    const places = lab.members.flatMap(({ address: host }) =>
      [...apis, ...silent].map((place) => ({ host, ...place })),
    )
    const strangers = comeAsStrangers(places, { each: 2 })
    const load = lab.load({ each: 4, kept: 4 })
    const turns = watchTurns()
    const changes: Change[] = []
    const muster = async (...argv: readonly string[]): Promise<void> => {
      const outcome = await operator.muster([...argv, 'alpha.yaml'])
      expect(outcome, `${argv.join(' ')}: ${outcome.stdout}${outcome.stderr}`).toMatchObject({ code: 0 })
    }
    try {
      // Each kind of stranger at each port: four at an API, one at the others.
      await eventually('all strangers', () => strangers.opened().size === lab.members.length * (3 * 4 + 3))
      changes.push(await change(byTapi(await lab.primary())))
      const from = await lab.settled()
      changes.push(await change(byTapi(from)))
      await lab.settled()
      const drained = lab.after(from)
      for (const state of ['offline', 'online']) await lab.cluster.apis().post(drained, 'connector', state)
      await muster('cert', 'renew', '--yes')
      await muster('lock', 'status')
      await muster('restart', '--yes')
      await muster('stop', '--yes', '--host', drained.name)
      await muster('start', '--yes', '--host', drained.name)
      await lab.settled()
    } finally {
      strangers.leave()
      await load.stop()
      turns.stop()
    }
    expect((await lab.missing(load)).missing).toEqual({ db1: [], db2: [], db3: [] })
    report('switches among strangers', figuresOf(load, changes, changes))
    const failures = failuresOf(attentive(load, turns.pauses), changes)
    expect(thatFail(failures, /^each /)).toEqual([])
    expect(thatFail(failures, / connect: /)).toEqual([])
  })

  describe('is refused, with who and why, and changes nothing', () => {
    /** All that a switch would change. */
    const state = async (): Promise<unknown> =>
      Promise.all(
        lab.members.map(async (it) => {
          const [channel] = await lab.ask(it, 'SHOW ALL SLAVES STATUS').catch(() => [])
          const [row] = await lab.ask(it, 'SELECT @@read_only AS it').catch(() => [])
          const { Master_Host, Slave_IO_Running, Slave_SQL_Running } = channel ?? {}
          return {
            name: it.name,
            readOnly: row?.it,
            // Preparing, Connecting and Yes take turns by themselves.
            source: [Master_Host, Slave_IO_Running !== 'No', Slave_SQL_Running],
            held: (await lab.cluster.connector(it)).held,
          }
        }),
      )
    async function isRefused(
      order: { readonly to?: string; readonly at?: LabHost },
      words: readonly RegExp[],
    ) {
      const at = order.at ?? lab.member('db1')
      const before = await state()
      const outcome = await lab.tapiSwitch(at, ...(order.to === undefined ? [] : ['--to', order.to]))
      expect(outcome.code, `${outcome.stdout}${outcome.stderr}`).not.toBe(0)
      const said = outcome.stderr.replaceAll(/\s+/g, ' ')
      for (const it of words) expect(said).toMatch(it)
      expect(await state()).toEqual(before)
    }
    /** Runs SQL on a member, and what undoes it at the end, however that comes. */
    async function during(
      host: LabHost,
      [doing, undoing]: readonly [string, string],
      act: () => Promise<void>,
    ) {
      await sql(host, doing)
      try {
        await act()
      } finally {
        await sql(host, undoing)
        await lab.settled()
      }
    }
    /** A replica of the present primary, by place. */
    const roles = async () => {
      const from = await lab.settled()
      const to = lab.after(from)
      return { from, to, third: lab.after(to) }
    }

    it('if the target is unknown, or the primary already', async () => {
      const { from } = await roles()
      await isRefused({ to: 'db9' }, [/db9/, /no data source of that name/])
      await isRefused({ to: from.name }, [new RegExp(from.name), /primary already/])
    })

    it('if a member cannot be reached', async () => {
      const { to, third, from } = await roles()
      await third.run('systemctl stop mariadb')
      try {
        await isRefused({ to: third.name, at: from }, [new RegExp(third.name), /reach|FAILED|ONLINE/])
      } finally {
        await third.run('systemctl start mariadb')
        await sql(third, 'SET GLOBAL read_only = 1')
        await lab.settled()
      }
      // A manager whose connector could not let its clients wait.
      await to.run('systemctl stop muster-alpha-manager')
      try {
        await isRefused({ to: third.name, at: from }, [new RegExp(to.name), /does not answer|manager/])
      } finally {
        await to.run('systemctl start muster-alpha-manager')
        await lab.settled()
      }
    })

    it('if the target is late, or does not replicate', async () => {
      const { from, to } = await roles()
      // The replica's thread stands at a lock, and the primary goes on.
      const administrator = await lab.administer(to)
      try {
        await administrator.query('LOCK TABLES shop.orders READ')
        await sql(from, "INSERT INTO shop.orders SELECT COALESCE(MAX(id), 0) + 1, 'late' FROM shop.orders")
        await eventually(
          'a lag beyond the limit',
          async () =>
            (await lab.cluster.source(from, to.name)).appliedLatency !== null &&
            ((await lab.cluster.source(from, to.name)).appliedLatency ?? 0) > 12,
          { timeout: 60_000, every: 500 },
        )
        await isRefused({ to: to.name, at: from }, [new RegExp(to.name), /late|behind/, /switch-max-lag/])
      } finally {
        administrator.destroy()
        await lab.settled()
      }
      await during(to, ['STOP SLAVE SQL_THREAD', 'START SLAVE SQL_THREAD'], () =>
        isRefused({ to: to.name, at: from }, [new RegExp(to.name), /replication/]),
      )
    })

    it('if the target has transactions of its own, or replicates late on purpose', async () => {
      const { from, to } = await roles()
      await during(
        to,
        [
          'STOP SLAVE; CHANGE MASTER TO MASTER_DELAY = 5; START SLAVE',
          'STOP SLAVE; CHANGE MASTER TO MASTER_DELAY = 0; START SLAVE',
        ],
        () => isRefused({ to: to.name, at: from }, [new RegExp(to.name), /5 s later/]),
      )
      await sql(to, 'CREATE DATABASE errant')
      await isRefused({ to: to.name, at: from }, [new RegExp(to.name), /transactions that/, /0-\d+-\d+/])
      // The primary takes over what the replica had alone: empty transactions up to its number make both agree again.
      await sql(to, 'SET sql_log_bin = 0; DROP DATABASE errant')
      const binlog = await sql(from, 'SELECT @@gtid_binlog_pos')
      await sql(to, `STOP SLAVE; RESET MASTER; SET GLOBAL gtid_slave_pos = '${binlog}'; START SLAVE`)
      await lab.settled()
    })

    it('if a transaction is too old', async () => {
      const { from, to } = await roles()
      const client = await connectClient(lab.cluster.through(from))
      try {
        await client.ask('BEGIN')
        await client.ask("INSERT INTO orders SELECT COALESCE(MAX(id), 0) + 1, 'old' FROM orders o")
        const thread = await client.ask('SELECT CONNECTION_ID()')
        await eventually(
          'an old transaction',
          async () => {
            const age = await sql(
              from,
              'SELECT MAX(TIMESTAMPDIFF(SECOND, trx_started, NOW())) FROM information_schema.INNODB_TRX',
            )
            return Number(age) > 12
          },
          { timeout: 60_000, every: 1000 },
        )
        await isRefused({ to: to.name, at: from }, [
          /user app/,
          new RegExp(`thread ${thread}`),
          /\d+ s/,
          /switch-max-transaction/,
        ])
        // The client notices nothing.
        await client.ask('COMMIT')
      } finally {
        await client.end().catch(() => undefined)
      }
    })

    it('if there are two writers', async () => {
      const { from, to, third } = await roles()
      await sql(to, 'STOP SLAVE; RESET SLAVE ALL; SET GLOBAL read_only = 0')
      try {
        await eventually(
          'two writers',
          async () => (await lab.cluster.service(from)).writer.code === 'two-writers',
        )
        await isRefused({ to: third.name, at: from }, [new RegExp(`${to.name}|${from.name}`), /writ/])
      } finally {
        await sql(to, `SET GLOBAL read_only = 1; ${lab.follow(from)}`)
        await lab.settled()
      }
    })

    it('if the managers disagree', async () => {
      const { from, to, third } = await roles()
      // One manager is told of another primary, and told that it must not go by the servers.
      const shun = `control/service/alpha/datasource/${from.name}`
      await lab.cluster.apis().post(to, 'manager', `${shun}/shun?peers=alone`)
      try {
        await eventually(
          'another view',
          async () => (await lab.cluster.service(to)).writer.datasource !== from.name,
        )
        await isRefused({ to: third.name, at: from }, [/disagree/, new RegExp(to.name)])
      } finally {
        await lab.cluster.apis().post(to, 'manager', `${shun}/welcome?peers=alone`)
        await lab.settled()
      }
    })

    it('if a privilege is missing, with the SQL that grants it', async () => {
      const { from, to } = await roles()
      await during(
        from,
        [
          "REVOKE READ_ONLY ADMIN ON *.* FROM replicator@'%'",
          "GRANT READ_ONLY ADMIN ON *.* TO replicator@'%'",
        ],
        () => isRefused({ to: to.name, at: from }, [/READ_ONLY ADMIN/i, /GRANT /]),
      )
    })

    it('if another switch is running', async () => {
      const { from, to, third } = await roles()
      // Its target stands at a lock, so it waits for it to catch up.
      const administrator = await lab.administer(to)
      const load = lab.load({ each: 4, kept: 0 })
      try {
        await delay(500)
        await administrator.query('LOCK TABLES shop.load_rows READ')
        await delay(200)
        const first = await lab.start(from, to)
        expect(first).toMatchObject({ status: 200 })
        const second = await Promise.all([from, third].map((at) => lab.switchTo(third, at)))
        for (const it of second) {
          expect(it.code, it.stdout).not.toBe(0)
          expect(it.stderr.replaceAll(/\s+/g, ' ')).toMatch(/switch/)
        }
        await administrator.query('UNLOCK TABLES')
        await eventually('the end of the first', async () => {
          const task = await lab.cluster
            .apis()
            .get<{ state: string }>(from, 'manager', `task/${first.payload.taskId}`)
          return task.state === 'complete'
        })
        expect((await lab.settled()).name).toBe(to.name)
      } finally {
        administrator.destroy()
        await load.stop()
      }
      expect((await lab.missing(load)).missing).toEqual({ db1: [], db2: [], db3: [] })
    })
  })

  it('is made by muster over SSH where the APIs listen on loopback', async () => {
    const { operator } = lab.cluster
    operator.write(
      'alpha.yaml',
      lab.file.replaceAll(/-rest-api-address: 0\.0\.0\.0/g, '-rest-api-address: 127.0.0.1'),
    )
    const install = await operator.muster(['install', '--yes', 'alpha.yaml'])
    expect(install, `${install.stdout}${install.stderr}`).toMatchObject({ code: 0 })
    const load = lab.load(forty)
    const turns = watchTurns()
    const sampler = lab.sample()
    await delay(3000)
    const changes: Change[] = []
    for (let round = 0; round < 3; round += 1) {
      changes.push(
        await change(async (to) => {
          const outcome = await operator.muster(['switch', '--yes', '--to', to.name, 'alpha.yaml'])
          expect(outcome, `${outcome.stdout}${outcome.stderr}`).toMatchObject({ code: 0 })
        }),
      )
      await delay(3000)
    }
    await load.stop()
    await sampler.stop()
    turns.stop()
    report('switches over SSH', figuresOf(load, changes, changes))
    const { missing } = await lab.missing(load)
    expect(missing).toEqual({ db1: [], db2: [], db3: [] })
    expect(sampler.overlaps()).toEqual([])
    const failures = failuresOf(attentive(load, turns.pauses), changes)
    expect(thatFail(failures, /^each /)).toEqual([])
    expect(thatFail(failures, / connect: /)).toEqual([])
  })
})
