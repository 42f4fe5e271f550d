import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DrillFault } from '../../src/contracts/drilling.ts'
import { type DrillCluster, startDrillCluster } from './scenario/drillCluster.ts'
import { startServer } from './scenario/losslessCluster.ts'
import type { SwitchCluster } from './scenario/switchCluster.ts'
import { eventually } from './support/eventually.ts'
import { labHere } from './support/requirements.ts'

describe.skipIf(labHere.missing)(`muster drill${labHere.needs}`, () => {
  let on: DrillCluster
  let lab: SwitchCluster

  beforeAll(async () => {
    on = await startDrillCluster()
    lab = on.lab
  })
  afterAll(() => lab?.stop())

  it('shows its plan, and changes nothing', async () => {
    await on.whole()
    const { code, stdout, stderr } = await on.drill('--dry-run')
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/^alpha: kill db1, the primary\n/)
    expect(stdout).toContain('the managers make db2 or db3 the primary')
    expect(await on.left()).toEqual([])
  })

  it.each(['kill', 'hang', 'cut'] as const satisfies readonly DrillFault[])(
    'loses no row, undoes the fault and removes what it made: %s',
    async (fault) => void (await on.pass(fault)),
  )

  it('cuts nobody off from the one who runs it', async () => {
    const [db1, db2] = [lab.member('db1'), lab.member('db2')]
    const order = { do: 'look', fault: 'cut', others: [{ name: 'db2', address: db2.address }] }
    const refusalFrom = async (client: string): Promise<string | undefined> => {
      const { stdout, stderr } = await db1.run(
        `${client} /opt/muster/current/node /opt/muster/current/muster-api.cjs drill --settings /opt/muster/share/manager.json`,
        { stdin: JSON.stringify(order) },
      )
      expect(stderr).toBe('')
      return (JSON.parse(stdout) as { readonly refusal?: string }).refusal
    }
    const connection = (address: string): string => `SSH_CONNECTION='${address} 50000 ${db1.address} 22'`
    expect(await refusalFrom(connection('192.0.2.1'))).toBeUndefined()
    expect(await refusalFrom(connection(db2.address))).toBe(
      `you log in from ${db2.address}, which is an address of db2`,
    )
    expect(await refusalFrom(connection(db1.address))).toContain('you log in from this host itself')
    expect(await refusalFrom('')).toContain('it cannot be seen from which address you log in')
  })

  it('finds a row that a server lacks', async () => {
    const primary = await on.whole()
    const replica = lab.after(primary)
    const struck = lab.after(replica)
    const running = on.drill('kill', struck.name, '--yes')
    const ended = running.then(({ stdout, stderr }) => {
      throw new Error(`it ended before: ${stdout}${stderr}`)
    })
    const written = eventually(
      'the first row',
      async () => {
        const where = 'writer = 2 AND number = 1'
        return (await lab.ask(replica, `SELECT 1 FROM muster_drill.ledger WHERE ${where}`)).length === 1
      },
      { timeout: 120_000, every: 100 },
    )
    await Promise.race([written, ended])
    const administrator = await lab.administer(replica)
    await administrator.query('SET sql_log_bin = 0')
    await administrator.query('DELETE FROM muster_drill.ledger WHERE writer = 2 AND number = 1')
    administrator.destroy()
    const { code, stdout, stderr } = await running
    expect(code, `${stdout}${stderr}`).toBe(1)
    expect(stdout).toContain(`${replica.name} lacks 1 row (writer:row 2:1)`)
    expect(stderr).toContain('error: alpha: acknowledged rows were lost')
    expect(await on.left()).toEqual([])
  })

  it('goes on with a replica that is killed, since clients write meanwhile', async () => {
    const primary = await on.whole()
    const replica = lab.after(primary)
    const { code, stdout, stderr } = await on.drill('kill', replica.name, '--yes', '--report', 'replica.md')
    expect(code, `${stdout}${stderr}`).toBe(0)
    expect(stdout).toContain(`${primary.name} stayed the primary`)
    const text = readFileSync(join(lab.cluster.operator.directory, 'replica.md'), 'utf8')
    expect(text).toContain(`# Drill of \`alpha\`: kill \`${replica.name}\``)
    expect(await on.left()).toEqual([])
  })

  it('undoes the fault and removes what it made after Ctrl-C', async () => {
    const from = await on.whole()
    const { running, kill } = on.startDrill('hang')
    // Its server answers nobody then.
    const isStruck = async () => (await from.run('systemctl is-active muster-drill.timer')).code === 0
    await eventually('the fault', isStruck, { timeout: 120_000 })
    kill('SIGINT')
    const { code, stdout, stderr } = await running
    expect(code, `${stdout}${stderr}`).toBe(130)
    expect(stderr).toContain('stopping: the fault is undone')
    await on.whole()
    expect(await on.left()).toEqual([])
  })

  it('undoes the fault by itself where the operator is gone, and the next drill removes the rest', async () => {
    const from = await on.whole()
    const { running, kill } = on.startDrill('cut')
    const rules = async () => (await from.run('ip rule show pref 77')).stdout
    await eventually('the fault', async () => (await rules()) !== '', { timeout: 120_000 })
    kill('SIGKILL')
    await running
    await eventually('the end of the fault', async () => (await rules()) === '', { timeout: 90_000 })
    await on.whole()
    expect((await on.left()).map((it) => it.replace(/^db\d: /, ''))).toEqual(
      Array.from({ length: 6 }, () => 'muster_drill'),
    )
    const { code, stdout, stderr } = await on.drill('--yes', '--lock-wait', '1m')
    expect(code, `${stdout}${stderr}`).toBe(0)
    expect(stdout).toContain('what an earlier drill left of it is removed first')
    expect(await on.left()).toEqual([])
  })

  it('is refused where the service is not whole, and where somebody else has its name', async () => {
    const primary = await on.whole()
    const replica = lab.after(primary)
    await replica.run('systemctl stop mariadb')
    await lab.cluster.seenAs(replica.name, 'FAILED')
    const { code, stderr } = await on.drill('--yes')
    expect(code).toBe(1)
    expect(stderr).toContain('error: The drill is refused; nothing was changed.')
    expect(stderr).toContain(`${replica.name}: it is FAILED`)
    expect(stderr).toContain('alpha: the managers would not replace a lost primary by themselves')
    await startServer(replica)
    await on.whole()
    await lab.ask(primary, 'CREATE DATABASE muster_drill')
    const foreign = await on.drill('--yes')
    expect(foreign.code).toBe(1)
    expect(foreign.stderr).toContain('a database or an account muster_drill that no drill has made')
    await lab.ask(primary, 'DROP DATABASE muster_drill')
    await lab.replicated()
    expect(await on.left()).toEqual([])
  })
})
