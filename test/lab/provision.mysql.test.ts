import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WriteLoad } from '../support/writeLoad.ts'
import { sql } from './scenario/databases.ts'
import { serverKinds } from './scenario/serverKind.ts'
import { type SwitchCluster, startSwitchCluster } from './scenario/switchCluster.ts'
import { eventually } from './support/eventually.ts'
import type { LabHost } from './support/labTypes.ts'
import { labHere } from './support/requirements.ts'

const kind = serverKinds.mysql

/** Returns what muster left in the data folder of a host, or in that of its copies. */
const leftIn = (host: LabHost): readonly string[] =>
  ['var/lib/mysql', 'var/lib/mysql-files']
    .flatMap((folder) => readdirSync(join(host.root(), folder)))
    .filter((it) => it.startsWith('.muster') && !it.startsWith('.muster-own-'))

describe.skipIf(labHere.missing)(`muster provision of a MySQL${labHere.needs}`, () => {
  let lab: SwitchCluster
  let load: WriteLoad | undefined

  beforeAll(async () => {
    lab = await startSwitchCluster([], kind)
    await lab.install()
    // Its base may have to be made first.
  }, 3_600_000)
  afterAll(async () => {
    await load?.stop()
    await lab?.stop()
  })

  const provision = (...argv: readonly string[]) =>
    lab.cluster.operator.muster(['provision', ...argv, 'alpha.yaml'])
  const install = (host: LabHost): Promise<unknown> =>
    sql(host, kind.writeToReplica("INSTALL PLUGIN clone SONAME 'mysql_clone.so'"))

  it('names the plugin that a source needs, and changes nothing', async () => {
    const { code, stderr } = await provision('db3', '--yes')
    expect(stderr).toContain('db2: its plugin clone is not loaded')
    expect(code).toBe(1)
    await install(lab.member('db2'))
    const preview = await provision('db3', '--dry-run')
    expect(preview.stdout).toMatch(
      /^alpha: db3 is made anew from db2\n {2}\d[\d.]* [MG]B of MySQL [\d.]+ go to \/var\/lib\/mysql of db3/,
    )
    expect(preview).toMatchObject({ code: 0 })
  })

  it('makes a replica with transactions of its own anew, while clients write', async () => {
    const db3 = lab.member('db3')
    load = lab.load({ each: 4, kept: 4 })
    await sql(db3, kind.writeToReplica('CREATE DATABASE errant'))
    await lab.cluster.tapi(db3, 'datasource', 'shun', 'db3', '--yes')
    const { code, stdout, stderr } = await provision('db3', '--yes')
    expect(code, `${stdout}${stderr}`).toBe(0)
    const [, file = ''] =
      /db3 is made anew and ONLINE\nits own transactions are in \/(\S+) of db3\n$/.exec(stdout) ?? []
    const saved = readFileSync(join(db3.root(), file), 'utf8')
    expect(saved).toContain('CREATE DATABASE errant')
    expect(saved).not.toContain('shop')
    expect(statSync(join(db3.root(), file)).mode & 0o777).toBe(0o600)
    await load.stop()
    expect(load.failures).toEqual([])
    expect((await lab.missing(load)).missing).toEqual({ db1: [], db2: [], db3: [] })
    load = undefined
    const databases = (await lab.ask(db3, 'SHOW DATABASES')).map(({ Database }) => Database)
    expect(databases).not.toContain('errant')
    expect(lab.members.flatMap(leftIn)).toEqual([])
    expect((await lab.settled()).name).toBe('db1')
  })

  it('makes a server anew that has lost its data and cannot start', async () => {
    const [db1, db2] = ['db1', 'db2'].map(lab.member) as [LabHost, LabHost]
    await sql(db1, "INSTALL PLUGIN clone SONAME 'mysql_clone.so'")
    await db2.run('systemctl stop mysql; rm -rf /var/lib/mysql/ib* /var/lib/mysql/mysql*')
    await lab.cluster.seenAs('db2', 'FAILED')
    const { code, stdout, stderr } = await provision('db2', '--from', 'db1', '--yes')
    expect(code, `${stdout}${stderr}`).toBe(0)
    expect(lab.members.flatMap(leftIn)).toEqual([])
    expect((await lab.settled()).name).toBe('db1')
  })

  it('leaves nothing of a copy, and begins anew, where the one who runs it ends it while the source copies itself', async () => {
    const db1 = lab.member('db1')
    // The copy waits for whoever changes the schema.
    const other = await lab.administer(db1)
    await other.query('SET GLOBAL clone_ddl_timeout = 3600, GLOBAL clone_block_ddl = ON')
    await other.query('LOCK INSTANCE FOR BACKUP')
    const copying = async () =>
      lab.ask(db1, "SELECT info FROM performance_schema.processlist WHERE info LIKE 'CLONE%'")
    const running = lab.cluster.operator.muster(
      ['provision', 'db3', '--from', 'db1', '--yes', 'alpha.yaml'],
      {
        killWhen: (stdout) => stdout.includes('receive: '),
      },
    )
    await eventually('the copy', async () => (await copying()).length === 1)
    await running
    await eventually('the end of the copy', async () => (await copying()).length === 0)
    await eventually('nothing of it', () => lab.members.flatMap(leftIn).length === 0)
    other.destroy()
    const again = await provision('db3', '--yes')
    expect(again, `${again.stdout}${again.stderr}`).toMatchObject({ code: 0 })
    expect((await lab.settled()).name).toBe('db1')
  })
})
