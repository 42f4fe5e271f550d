import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DrillCluster, startDrillCluster } from './scenario/drillCluster.ts'
import { loseAcks, loseTo, reach } from './scenario/faultKinds.ts'
import { processOf } from './scenario/hostProcesses.ts'
import { successorOf } from './scenario/losslessCluster.ts'
import { serverKinds } from './scenario/serverKind.ts'
import { eventually } from './support/eventually.ts'
import type { LabHost } from './support/labTypes.ts'
import { isStopped } from './support/processTable.ts'
import { labHere } from './support/requirements.ts'

describe.skipIf(labHere.missing)(`with MySQL${labHere.needs}`, () => {
  let on: DrillCluster

  beforeAll(async () => {
    on = await startDrillCluster({ kind: serverKinds.mysql })
    // As in its package: nothing may start a server whose log is changed.
    const unit = 'mysql.service.d/zz-restart.conf'
    for (const it of on.lab.members) {
      const written = await it.run(
        `printf '[Service]\\nRestart=on-failure\\n' > /etc/systemd/system/${unit} && systemctl daemon-reload`,
      )
      expect(written).toMatchObject({ code: 0 })
    }
  })
  afterAll(() => on?.lab.stop())

  describe('muster drill', () => {
    it('loses no row, undoes the fault and removes what it made: cut', async () => {
      await on.pass('cut')
    })

    it('has a server that hung take back what it wrote when it went on, and follow', async () => {
      const primary = await on.whole()
      const server = processOf(primary, serverKinds.mysql.program)
      const session = await on.lab.administer(primary)
      const passing = on.pass('hang')
      await eventually('a server that hangs', () => isStopped(server), { timeout: 120_000 })
      // It is done when the server goes on, and no replica is left to acknowledge it.
      const late = session.query('INSERT INTO shop.load_rows VALUES (1, 1, 1)').catch(String)
      await passing
      expect(await late).toMatch('Connection lost')
      const told = await primary.run(
        `journalctl --no-pager --output cat --unit muster-alpha-manager | grep -v '^{'`,
      )
      expect(told.stdout).toMatch(
        /removed from the log of the server what waited for a replica: [\da-f-]{36}:\d+/,
      )
      for (const it of on.lab.members) {
        expect(await on.lab.ask(it, 'SELECT * FROM shop.load_rows WHERE client = 1')).toEqual([])
      }
    })

    it.each([
      ['a database', ['CREATE DATABASE muster_drill'], ['DROP DATABASE muster_drill']],
      ['an account', ["CREATE USER muster_drill@'%'"], ["DROP USER muster_drill@'%'"]],
      [
        'a further account',
        ["CREATE USER muster_drill@'%' COMMENT 'made by muster drill'", 'CREATE USER muster_drill@localhost'],
        ["DROP USER muster_drill@'%', muster_drill@localhost"],
      ],
    ] as const)('is refused where somebody else has %s with its name', async (_what, made, undone) => {
      const primary = await on.whole()
      for (const it of made) await on.lab.ask(primary, it)
      const { code, stdout, stderr } = await on.drill('--yes')
      for (const it of undone) await on.lab.ask(primary, it)
      await on.lab.replicated()
      expect(code, stdout).toBe(1)
      expect(stderr).toContain('a database or an account muster_drill that no drill has made')
      expect(await on.left()).toEqual([])
    })

    it('removes what one that was killed left, and goes on with a replica', async () => {
      const primary = await on.whole()
      await on.lab.ask(primary, "CREATE USER muster_drill@'%' COMMENT 'made by muster drill'")
      const { code, stdout, stderr } = await on.drill('kill', on.lab.after(primary).name, '--yes')
      expect(code, `${stdout}${stderr}`).toBe(0)
      expect(stdout).toContain('what an earlier drill left of it is removed first')
      expect(stdout).toContain(`${primary.name} stayed the primary`)
      expect(await on.left()).toEqual([])
    })

    it('cuts nothing off the log of a server whose commits go on, whoever asks root to kill it', async () => {
      const primary = await on.whole()
      const load = on.lab.load({ each: 2, kept: 6 })
      await eventually('rows of the clients', () => load.acknowledged.length > 100)
      const { code, stdout, stderr } = await primary.run(
        '/opt/muster/current/node /opt/muster/current/muster-api.cjs crash-database --settings /opt/muster/share/manager.json',
      )
      await load.stop()
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(/killed the server at port 3306 \(process \d+\) and started mysql\.service/)
      expect(stdout).not.toContain('removed')
    })
  })

  it('a former primary keeps what a replica had received of it, takes the rest back, and follows', async () => {
    const { lab } = on
    const primary = await on.whole()
    const others = lab.members.filter((it) => it !== primary)
    const sessions = [await lab.administer(primary), await lab.administer(primary)]
    // What it sends arrives there. No answer comes back: of replication never, of all else after a while.
    const hear = await loseAcks(lab, primary)
    for (const it of others) await loseTo(it, primary)
    const write = (row: number): Promise<unknown> | undefined =>
      sessions[row]?.query(`INSERT INTO shop.load_rows VALUES (2, ${row}, 0)`).catch(String)
    const received = write(0)
    const rowsAt = async (it: LabHost): Promise<readonly unknown[]> =>
      (await lab.ask(it, 'SELECT seq FROM shop.load_rows WHERE client = 2 ORDER BY seq')).map(
        ({ seq }) => seq,
      )
    const successor = await successorOf(lab, primary)
    expect(await rowsAt(successor)).toEqual([0])
    const alone = write(1)
    for (const it of others) await reach(it, primary)
    expect((await on.whole()).name).toBe(successor.name)
    await hear()
    expect([await received, await alone]).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining('Connection lost')),
    )
    for (const it of lab.members) expect(await rowsAt(it), it.name).toEqual([0])
  })
})
