import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { WritableSampler } from '../support/writableSampler.ts'
import type { WriteLoad } from '../support/writeLoad.ts'
import { loseAcks } from './scenario/faultKinds.ts'
import { processOf } from './scenario/hostProcesses.ts'
import { protectedNow, startLosslessCluster, startServer, successorOf } from './scenario/losslessCluster.ts'
import type { SwitchCluster } from './scenario/switchCluster.ts'
import { eventually } from './support/eventually.ts'
import type { Outcome } from './support/execute.ts'
import type { LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

type Fault = {
  readonly strike: (host: LabHost) => unknown
  /** True if its manager cannot be asked meanwhile. */
  readonly isOfHost?: true
  /** True if the server goes on afterwards: it may be written to, and acknowledges nothing. */
  readonly goesOn?: true
  /** True if nobody needs to take its place. */
  readonly mayStay?: true
  /** Brings the server back. */
  readonly repair: (host: LabHost) => Promise<unknown>
  /** Answers of an operator: `tapi` at the manager of a survivor, or `muster` over SSH. Undefined: the managers do it themselves. */
  readonly order?: (at: LabHost) => Promise<Outcome>
}

describe.skipIf(labHere.missing)(`a failover under clients${labHere.needs}`, () => {
  let lab: SwitchCluster
  let load: WriteLoad
  let sampler: WritableSampler

  beforeAll(async () => {
    lab = await startLosslessCluster()
  })
  afterEach(async () => {
    await load?.stop()
    await sampler?.stop()
  })
  afterAll(() => lab?.stop())

  const signal = (host: LabHost, name: NodeJS.Signals): void =>
    void process.kill(processOf(host, '/mariadbd'), name)
  const killed: Fault = { strike: (host) => signal(host, 'SIGKILL'), repair: (host) => startServer(host) }
  const faults: Readonly<Record<string, Fault>> = {
    'the server of the primary is killed': killed,
    'the server of the primary is killed, and started at once': {
      strike: (host) => {
        signal(host, 'SIGKILL')
        return startServer(host)
      },
      mayStay: true,
      repair: async () => undefined,
    },
    'the server of the primary hangs, and goes on': {
      strike: (host) => signal(host, 'SIGSTOP'),
      goesOn: true,
      repair: async (host) => signal(host, 'SIGCONT'),
    },
    'the link of the primary is cut, and comes back': {
      strike: (host) => host.unplug(),
      isOfHost: true,
      goesOn: true,
      repair: (host) => host.plugIn(),
    },
    'an operator says so over tapi': {
      ...killed,
      order: (at) => lab.tapi(at, 'failover', '--wait', '--yes'),
    },
    'the power cord of the primary is pulled, and an operator says so over SSH': {
      strike: (host) => host.kill(),
      isOfHost: true,
      repair: async (host) => {
        await host.boot()
        await startServer(host)
      },
      order: () => lab.cluster.operator.muster(['failover', '--yes', 'alpha.yaml']),
    },
  }
  const setPolicy = async (policy: 'automatic' | 'manual', at: LabHost): Promise<void> => {
    // It reaches all managers, or none: the one of a host that is back has to answer.
    await eventually(
      `the policy ${policy}`,
      async () => (await lab.tapi(at, 'policy', policy, '--yes')).code === 0,
    )
  }

  it('needs managers that reach each other: muster check calls from each host to all others', async () => {
    const check = async () => {
      const { stdout } = await lab.cluster.operator.muster(['check', '--json', 'alpha.yaml'])
      const { hosts } = JSON.parse(stdout) as {
        hosts: readonly { host: string; checks: readonly { check: string; reason: string }[] }[]
      }
      return Object.fromEntries(
        hosts.map(({ host, checks }) => [host, checks.find((it) => it.check === 'channel')?.reason]),
      )
    }
    expect(await check()).toEqual({
      db1: 'reaches the managers of db2 and db3',
      db2: 'reaches the managers of db1 and db3',
      db3: 'reaches the managers of db1 and db2',
    })
    const db3 = lab.members.find(({ name }) => name === 'db3')
    if (!db3) throw new Error('no db3')
    await db3.run('systemctl stop muster-alpha-manager')
    const lost =
      /^does not reach the manager of db3 at its cluster-port \d+: The connection to https:\/\/\S+ was refused: nothing listens there\.$/
    expect(await check()).toEqual({
      db1: expect.stringMatching(lost),
      db2: expect.stringMatching(lost),
      db3: 'reaches the managers of db1 and db2',
    })
    await db3.run('systemctl start muster-alpha-manager')
  })

  it('lets a replica that was away during a switch follow the new primary', async () => {
    const from = await lab.settled()
    const [to, away] = lab.members.filter((it) => it !== from)
    if (!to || !away) throw new Error('no replicas')
    await away.run('systemctl stop mariadb')
    await lab.cluster.seenAs(away.name, 'FAILED', lab.members)
    const { code, stdout, stderr } = await lab.tapi(from, 'switch', '--to', to.name, '--wait', '--yes')
    expect(code, `${stdout}${stderr}`).toBe(0)
    expect(stderr).toContain(
      `${away.name} was not reached: its manager lets it follow ${to.name} when it is back`,
    )
    await startServer(away)
    expect(await lab.settled()).toBe(to)
  })

  it('ends what waits in vain: replicas that are back had it before, and one of them takes the place of the primary', async () => {
    const from = await lab.settled()
    await protectedNow(lab)
    const others = lab.members.filter((it) => it !== from)
    const hear = await loseAcks(lab, from)
    const session = await lab.administer(from)
    const late = session
      .query("INSERT INTO shop.orders VALUES (998, 'acknowledged to nobody')")
      .catch((error: Error) => error.message)
    const rowsAt = (it: LabHost) => lab.ask(it, 'SELECT id FROM shop.orders WHERE id = 998')
    for (const it of others) {
      await eventually(`the row at ${it.name}`, async () => (await rowsAt(it)).length === 1)
      // Nothing is left to be sent over its next connection, so nothing is to be acknowledged.
      await lab.ask(it, 'STOP SLAVE IO_THREAD')
      await lab.ask(it, 'START SLAVE IO_THREAD')
    }
    const successor = await successorOf(lab, from)
    await hear()
    expect(await late).toContain('Connection lost')
    expect(await lab.settled()).toBe(successor)
    for (const it of lab.members) expect(await rowsAt(it), it.name).toHaveLength(1)
    const { stdout } = await lab.cluster.operator.muster(['audit', 'alpha.yaml'])
    expect(stdout).toMatch(
      new RegExp(`the managers replaced the lost primary ${from.name} of alpha by ${successor.name}, on db`),
    )
  })

  it.each(Object.entries(faults))(
    'loses no acknowledged row, and takes the old primary back by itself: %s',
    async (name, { strike, repair, order, isOfHost, goesOn, mayStay }) => {
      if (order) await setPolicy('manual', await lab.settled())
      const from = await lab.settled()
      const survivors = lab.members.filter((it) => it !== from)
      const [first] = survivors
      if (!first) throw new Error('no survivor')
      load = lab.load({ each: 12, kept: 12 }, survivors)
      sampler = lab.sample()
      await eventually('rows of all clients', () => load.acknowledged.length > 200)
      for (const it of lab.members) {
        await eventually(`what the manager of ${it.name} would do`, async () => {
          const { failover } = await lab.cluster.service(it)
          expect(failover).toEqual(
            order ? { automatic: false, reason: 'The policy is MANUAL.' } : { automatic: true, reason: null },
          )
          return true
        })
      }
      await strike(from)
      const struckAt = performance.now()
      let orderedAt = struckAt
      let told = ''
      if (order) {
        await lab.cluster.seenAs(from.name, 'FAILED', isOfHost ? survivors : lab.members)
        orderedAt = performance.now()
        const { code, stdout, stderr } = await order(first)
        expect(code, `${stdout}${stderr}`).toBe(0)
        told = stdout
      }
      const after = await eventually(
        'a row of a client after it',
        () => load.acknowledged.find(({ begin }) => begin > orderedAt) ?? Promise.reject(new Error('none')),
        { every: 20 },
      )
      const had = load.acknowledged.length
      await eventually('rows of all clients after it', () => load.acknowledged.length > had + 200)
      const alone =
        goesOn &&
        lab.ask(from, "INSERT INTO shop.orders VALUES (999, 'of a client on its host')").then(
          () => 'acknowledged',
          () => 'broken off',
        )
      await repair(from)
      if (order) await setPolicy('automatic', first)
      const repairedAt = performance.now()
      const now = await lab.settled()
      const homeAfter = performance.now() - repairedAt
      if (!mayStay) expect(now).not.toBe(from)
      if (alone) {
        expect(await alone).toBe('broken off')
        for (const it of lab.members) {
          expect(await lab.ask(it, 'SELECT id FROM shop.orders WHERE id = 999')).toEqual([])
        }
      } else expect(sampler.overlaps()).toEqual([])
      await load.stop()
      expect((await lab.missing(load)).missing).toEqual({ db1: [], db2: [], db3: [] })
      const refused = load.failures.filter(({ at }) => at > orderedAt && at < after.end)
      process.stdout.write(
        `figures of a failover: ${JSON.stringify({
          name,
          detected: Math.round(orderedAt - struckAt),
          firstWrite: Math.round(after.end - orderedAt),
          command: told.split('\n'),
          refused: refused.length,
          reasons: [...new Set(refused.map(({ message }) => message))],
          homeAfter: Math.round(homeAfter),
          rows: load.acknowledged.length,
        })}\n`,
      )
    },
  )
})
