import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WriteLoad } from '../support/writeLoad.ts'
import { sql } from './scenario/databases.ts'
import { processOf } from './scenario/hostProcesses.ts'
import { usualKind } from './scenario/serverKind.ts'
import { type SwitchCluster, startSwitchCluster } from './scenario/switchCluster.ts'
import { eventually } from './support/eventually.ts'
import type { LabHost } from './support/labTypes.ts'
import { equippedBase } from './support/releases.ts'
import { labHere } from './support/requirements.ts'

const folder = 'var/lib/mysql'

const namesIn = (host: LabHost): readonly string[] => readdirSync(join(host.root(), folder))

/** Returns the names that muster left in the data folder of a host, but for those of saved transactions. */
const leftIn = (host: LabHost): readonly string[] =>
  namesIn(host).filter((it) => it.startsWith('.muster') && !it.startsWith('.muster-own-'))

describe.skipIf(labHere.missing)(`muster provision${labHere.needs}`, () => {
  let lab: SwitchCluster
  let load: WriteLoad | undefined

  beforeAll(async () => {
    lab = await startSwitchCluster([], { ...usualKind, base: equippedBase })
    await lab.install()
    // Its base may have to be made first.
  }, 3_600_000)
  afterAll(async () => {
    await load?.stop()
    await lab?.stop()
  })

  const provision = (...argv: readonly string[]) =>
    lab.cluster.operator.muster(['provision', ...argv, 'alpha.yaml'])

  /** Makes a replica one that nobody lets follow any more: it has a transaction of its own. */
  async function spoil(host: LabHost): Promise<void> {
    await sql(host, usualKind.writeToReplica('CREATE DATABASE errant'))
    await lab.cluster.tapi(host, 'datasource', 'shun', host.name, '--yes')
  }
  /** Makes db3 anew, after an attempt that failed. */
  async function beginsAnew(): Promise<void> {
    const again = await provision('db3', '--yes')
    expect(again, `${again.stdout}${again.stderr}`).toMatchObject({ code: 0 })
    await lab.settled()
  }
  const databasesOf = async (host: LabHost): Promise<readonly unknown[]> =>
    (await lab.ask(host, 'SHOW DATABASES')).map(({ Database }) => Database)

  it('shows what would be copied, and changes nothing', async () => {
    const { code, stdout } = await provision('db3', '--dry-run')
    expect(stdout).toMatch(
      /^alpha: db3 is made anew from db2\n {2}\d[\d.]* [MG]B of MariaDB [\d.]+ go to \/var\/lib\/mysql of db3, where \d+ GB are free\n/,
    )
    expect(code).toBe(0)
    expect(leftIn(lab.member('db3'))).toEqual([])
  })

  it('refuses the primary, and what is no host', async () => {
    const primary = await provision('db1', '--yes')
    expect(primary).toMatchObject({ code: 1 })
    expect(primary.stderr).toContain('it is the primary of alpha')
    const unknown = await provision('db9', '--yes')
    expect(unknown).toMatchObject({ code: 3 })
    expect(unknown.stderr).toContain('Its hosts are: db1, db2, db3.')
  })

  it('makes a replica with transactions of its own anew, while clients write', async () => {
    const db3 = lab.member('db3')
    load = lab.load({ each: 4, kept: 4 })
    await spoil(db3)
    const { code, stdout, stderr } = await provision('db3', '--yes')
    expect(code, `${stdout}${stderr}`).toBe(0)
    const steps = [...stdout.matchAll(/^([a-z]+): /gm)].map(([, step]) => step)
    const [first, ...others] = ['alpha', 'receive', 'prepare', 'stop', 'save', 'replace', 'start', 'follow']
    expect(steps).toEqual([first, ...others, 'done'])
    expect(stdout).toContain('its own transactions are saved as statements before, in a file there: 0-3-')
    const [, file = ''] =
      /db3 is made anew and ONLINE\nits own transactions are in \/(\S+) of db3\n$/.exec(stdout) ?? []
    expect(dirname(file)).toBe(folder)
    const saved = readFileSync(join(db3.root(), file), 'utf8')
    expect(saved).toContain('CREATE DATABASE errant')
    expect(saved).not.toContain('shop.orders')
    const { mode, uid } = statSync(join(db3.root(), file))
    expect([mode & 0o777, uid]).toEqual([0o600, statSync(join(db3.root(), folder)).uid])
    await load.stop()
    expect(load.failures).toEqual([])
    const { missing } = await lab.missing(load)
    expect(missing).toEqual({ db1: [], db2: [], db3: [] })
    load = undefined
    expect(await databasesOf(db3)).not.toContain('errant')
    expect(leftIn(db3)).toEqual([])
    expect((await lab.settled()).name).toBe('db1')
  })

  it('makes a server anew that has lost its data and cannot start', async () => {
    const db2 = lab.member('db2')
    await db2.run('systemctl stop mariadb; rm -rf /var/lib/mysql/ib* /var/lib/mysql/mysql')
    await lab.cluster.seenAs('db2', 'FAILED')
    const { code, stdout, stderr } = await provision('db2', '--from', 'db1', '--yes')
    expect(code, `${stdout}${stderr}`).toBe(0)
    expect(leftIn(db2)).toEqual([])
    expect((await lab.settled()).name).toBe('db1')
  })

  it('leaves the old data in place where the copy breaks off, and begins anew', async () => {
    const db3 = lab.member('db3')
    await spoil(db3)
    // The source waits for its lock, so that the copy is under way for as long as this test needs.
    const lock = await lab.administer(lab.member('db2'))
    await lock.query('BACKUP STAGE START')
    const running = provision('db3', '--yes')
    await eventually('the folder of the new data', () => leftIn(db3).includes('.muster-new'))
    const second = await provision('db3', '--yes')
    expect(second.stderr).toContain('another run copies a database at this moment')
    process.kill(processOf(db3, 'receive-database'), 'SIGTERM')
    const { code, stderr } = await running
    lock.destroy()
    expect(code, stderr).toBe(1)
    expect(stderr).toContain('it was told to end')
    expect(leftIn(db3)).toEqual([])
    expect(await databasesOf(db3)).toContain('errant')
    await beginsAnew()
  })

  it('leaves the old data in place where the one who runs it is gone', async () => {
    const db3 = lab.member('db3')
    const lock = await lab.administer(lab.member('db2'))
    await lock.query('BACKUP STAGE START')
    await lab.cluster.operator.muster(['provision', 'db3', '--yes', 'alpha.yaml'], {
      killWhen: (stdout) => stdout.includes('receive: '),
    })
    await eventually('the end of the copy', () => leftIn(db3).length === 0, { timeout: 60_000 })
    lock.destroy()
    await beginsAnew()
  })

  it('puts the old data back where the server does not start with the new', async () => {
    const db3 = lab.member('db3')
    await spoil(db3)
    const unit = '/etc/systemd/system/mariadb.service.d'
    const refuse = '[Service]\\nExecStartPre=/bin/sh -c "! [ -d /var/lib/mysql/.muster-old ]"\\n'
    await db3.run(`mkdir -p ${unit}; printf '${refuse}' > ${unit}/refuse.conf; systemctl daemon-reload`)
    const { code, stderr } = await provision('db3', '--yes')
    await db3.run(`rm ${unit}/refuse.conf; systemctl daemon-reload`)
    expect(code, stderr).toBe(1)
    expect(stderr).toContain('systemctl ended with exit code 1')
    expect(leftIn(db3)).toEqual([])
    expect(await databasesOf(db3)).toContain('errant')
    await beginsAnew()
  })

  it('finishes what a run that was killed in the middle left', async () => {
    const db3 = lab.member('db3')
    await spoil(db3)
    await db3.run(
      'systemctl stop mariadb; cd /var/lib/mysql; setpriv --reuid=mysql --regid=mysql --clear-groups mkdir .muster-old .muster-new; mv errant mysql ib* .muster-old; mv .muster-old .muster-moving',
    )
    const { code, stdout, stderr } = await provision('db3', '--yes')
    expect(code, `${stdout}${stderr}`).toBe(0)
    expect(leftIn(db3)).toEqual([])
    expect(existsSync(join(db3.root(), folder, 'errant'))).toBe(false)
    await lab.settled()
  })
})
