import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { monitorGrants } from '../../src/contracts/databaseAccounts.ts'
import { askOnce, connectClient } from './scenario/client.ts'
import { clusterFile } from './scenario/clusterFile.ts'
import { sql, startReplication } from './scenario/databases.ts'
import { installationState } from './scenario/hostState.ts'
import { currentOf, must } from './scenario/onHost.ts'
import { createOperator, type Operator } from './scenario/operator.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import { eventually } from './support/eventually.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const names = ['db1', 'db2', 'db3']
const app = 'of the application'
const older = '0.0.1-0123456789ab'
/** What MariaDB's clients are told by a server that stops (ER_SERVER_SHUTDOWN). */
const stopping = 1053
/** Long enough for a transaction that has a second to go, on a machine that stands still now and then. */
const drainSeconds = 20

describe.skipIf(labHere.missing)(`muster upgrade under load${labHere.needs}`, () => {
  const { password } = makeSentinel()
  const monitor = makeSentinel()
  let lab: Lab
  let operator: Operator
  let installed = ''
  const hosts = (): readonly LabHost[] => names.map((name) => hostOf(lab, name))
  const through = ({ address: host }: LabHost) => ({ host, port: 9999, password: app })
  const errorOf = (host: LabHost): Promise<unknown> =>
    askOnce(through(host), 'SELECT 1').then(
      () => undefined,
      (error: unknown) => error,
    )
  const isStopping = async (host: LabHost): Promise<boolean> => {
    const error = await errorOf(host)
    return typeof error === 'object' && error !== null && 'errno' in error && error.errno === stopping
  }
  /** Seconds since 1970 at which the connector of a host said this last, by its own clock: the journal has it later. */
  const saidAt = async (host: LabHost, what: 'stopping' | 'serving'): Promise<number> => {
    const script = `journalctl --sync; journalctl --no-pager -o cat -t muster-connector | grep '"msg":"${what}"' | tail -n 1`
    return Date.parse(JSON.parse(await must(host, script)).time) / 1000
  }

  beforeAll(async () => {
    lab = await startLab({ hosts: names })
    const grants = monitorGrants({ type: 'mariadb', from: '%', user: 'monitor' })
    const secret = `'${monitor.password.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
    await startReplication(hosts(), { app, statements: [grants.replace(/'<[a-z-]+>'/, () => secret)] })
    operator = createOperator(lab, 'operator', password)
    operator.write('monitor.password', monitor.password)
    operator.write(
      'alpha.yaml',
      clusterFile(lab, {
        cluster: 'alpha',
        topology: 'clustered',
        hosts: names.map((name) => ({ name })),
        defaults: [
          'datasource-type: mariadb',
          'monitor-user: monitor',
          'monitor-password: !file monitor.password',
          'application-address: 0.0.0.0',
          `connector-drain-timeout: ${drainSeconds}s`,
        ],
      }),
    )
    const install = await operator.muster(['install', '--yes', 'alpha.yaml'])
    expect(install, install.stderr).toMatchObject({ code: 0 })
    const [first] = hosts()
    installed = first === undefined ? '' : await currentOf(first)
    // The release that all of them come from: the same program under an older name.
    for (const host of hosts()) {
      await must(host, `cd /opt/muster/releases; cp -a ${installed} ${older}; rm -f ${older}/.activated`)
    }
    const back = await operator.muster(['rollback', '--yes', '--to', older, 'alpha.yaml'])
    expect(back, back.stderr).toMatchObject({ code: 0 })
    for (const host of hosts()) {
      await eventually(`clients of ${host.name}`, async () => (await errorOf(host)) === undefined)
    }
  })
  afterAll(() => lab?.stop())

  it('takes back a canary whose new release fails, and touches no other host', async () => {
    const canary = hostOf(lab, 'db2')
    const others = [hostOf(lab, 'db1'), hostOf(lab, 'db3')]
    const folder = `/opt/muster/releases/${installed}`
    await must(canary, `mv ${folder}/muster-api.cjs ${folder}/real.cjs`)
    await must(
      canary,
      `umask 022; cat > ${folder}/muster-api.cjs`,
      "if (process.argv[2] === 'serve') process.exit(3)\nrequire('./real.cjs')\n",
    )
    const clients = await Promise.all(others.map((host) => connectClient(through(host))))
    const before = await Promise.all(others.map(installationState))

    const outcome = await operator.muster(['upgrade', '--yes', 'alpha.yaml'])
    expect(outcome.code, outcome.stdout).toBe(1)
    expect(outcome.stdout).toContain(`release ${older} → ${installed}: db1, db2 and db3\n`)
    expect(outcome.stdout).toContain('restart the connectors one after another')
    expect(outcome.stdout).toMatch(/^db3 {2}not started: the canary db2 failed/m)
    expect(outcome.stdout).toContain('2 hosts not started. Fix the reported problem on db2')
    expect(await Promise.all(others.map(installationState))).toEqual(before)
    for (const client of clients) {
      expect(await client.ask('SELECT 1')).toBe(1)
      await client.end()
    }
    expect(await currentOf(canary)).toBe(older)
    expect(await errorOf(canary)).toBeUndefined()
    await must(canary, `mv -f ${folder}/real.cjs ${folder}/muster-api.cjs`)
  })

  it('lets transactions end, one connector after another, and always leaves one to go to', async () => {
    const work = { over: false }
    const troubles: unknown[] = []
    /** Comes and goes all the time, and takes the next host where one turns it away. */
    const visitor = async (): Promise<number> => {
      let served = 0
      while (!work.over) {
        let done = false
        for (const host of hosts()) {
          const client = await connectClient(through(host)).catch(() => undefined)
          if (client === undefined) continue
          // Whoever was let in is served to the end.
          await client.ask('SELECT 1').catch((error: unknown) => troubles.push(error))
          await client.end().catch(() => undefined)
          done = true
          break
        }
        if (done) served += 1
        else troubles.push('every connector turned a client away')
        await pause(20)
      }
      return served
    }
    /** A transaction that began before its connector was told to stop, and ends after. */
    const transaction = async (host: LabHost, index: number): Promise<void> => {
      const client = await connectClient(through(host))
      await client.ask('BEGIN')
      await client.ask(`INSERT INTO orders VALUES (${index * 10 + 1}, 'before the drain')`)
      await eventually(`the drain of ${host.name}`, () => isStopping(host), { timeout: 90_000 })
      await client.ask(`INSERT INTO orders VALUES (${index * 10 + 2}, 'while it drained')`)
      await pause(1000)
      await client.ask('COMMIT')
      await client.end()
    }
    /** When a client that never leaves was served no longer, in seconds since 1970, and how late its turns came. */
    const stayer = async (host: LabHost) => {
      const client = await connectClient(through(host))
      const late: { readonly at: number; readonly seconds: number }[] = []
      for (let before = Date.now() / 1000; ; ) {
        const cut = await client.ask('SELECT 1').then(
          () => false,
          () => true,
        )
        const at = Date.now() / 1000
        late.push({ at, seconds: Math.max(0, at - before - 0.1) })
        if (cut) return { at, late }
        before = at
        await pause(20)
      }
    }

    const visitors = [visitor(), visitor()]
    const transactions = hosts().map(transaction)
    const staying = stayer(hostOf(lab, 'db3'))
    await eventually('open transactions', async () => {
      const open = await sql(hostOf(lab, 'db1'), 'SELECT COUNT(*) FROM information_schema.innodb_trx')
      return open === '3'
    })
    const outcome = await operator.muster(['upgrade', '--yes', '--batch', '100%', 'alpha.yaml'])
    work.over = true
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 })
    await Promise.all(transactions)
    const served = await Promise.all(visitors)
    expect(troubles).toEqual([])
    expect(Math.min(...served)).toBeGreaterThan(20)
    expect(await sql(hostOf(lab, 'db1'), 'SELECT COUNT(*) FROM shop.orders')).toBe('6')

    for (const host of hosts()) expect(await currentOf(host)).toBe(installed)
    const [one = 0, two = 0, three = 0] = await Promise.all(hosts().map((host) => saidAt(host, 'stopping')))
    const [first = 0, second = 0] = await Promise.all(hosts().map((host) => saidAt(host, 'serving')))
    // The canary is db2, since db1 is the primary; after it one begins when the one before it serves again.
    expect(two).toBeLessThan(Math.min(one, three))
    expect(one).toBeGreaterThanOrEqual(second)
    expect(three).toBeGreaterThanOrEqual(first)
    // The clock of a host is this machine's.
    const { at: cutAt, late } = await staying
    const stayed = cutAt - three
    const stoodStill = late.filter(({ at }) => at > three).reduce((sum, { seconds }) => sum + seconds, 0)
    expect(stayed).toBeGreaterThan(drainSeconds - 0.5)
    expect(stayed).toBeLessThan(drainSeconds + 2 + stoodStill)
    expect((await operator.muster(['plan', 'alpha.yaml'])).code).toBe(0)
  })
})
