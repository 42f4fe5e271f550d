import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { hasMariadb, type Mariadb, type MariadbLab, mariadbLab } from '../support/mariadb.ts'
import { createMonitor } from '../support/mariadbPair.ts'
import { login } from './support/clusterFile.ts'
import { createWorld, type Host, type World } from './support/world.ts'

const password = 'x8Jw-Rt2q_Lm0'

/** A primary whose option file says that it is read-only, and which no manager may change. */
describe.skipIf(!hasMariadb)('a primary that starts read-only (needs MariaDB)', () => {
  let world: World
  let host: Host
  let lab: MariadbLab
  let server: Mariadb
  let optionFile: string

  beforeAll(async () => {
    ;[world, lab] = await Promise.all([createWorld(1), mariadbLab()])
    host = world.host('db1')
    optionFile = world.operator.write('my.cnf', '[mariadbd]\nread_only = 1\n')
    server = await lab.server({ optionFile, options: [`--bind-address=127.0.0.1,${host.address}`] })
    await server.sql('SET GLOBAL read_only = 0')
    await createMonitor(server, password)
    world.operator.env.MONITOR_PASSWORD = password
    world.operator.write(
      'alpha.yaml',
      `cluster: alpha
defaults:
  rest-api-admin-user: admin
  service-manager: process
  user: ${login}
  install-directory: ${host.directory}
  manager-rest-api-port: ${host.ports.manager}
  replicator-rest-api-port: ${host.ports.replicator}
  datasource-type: mariadb
  replication-port: ${server.port}
  monitor-user: watch
  monitor-password: !env MONITOR_PASSWORD
services:
  alpha: { topology: clustered, master: db1, members: [db1] }
hosts:
  db1: { address: ${host.address}, ssh: ${JSON.stringify(host.ssh)} }
`,
    )
    const installed = await world.muster('install')
    expect(installed, `${installed.stdout}${installed.stderr}`).toMatchObject({ code: 0 })
  })
  afterAll(async () => {
    await world?.close()
    await lab?.end()
  })

  const unwrapped = (text: string): string => text.replaceAll(/\s+/g, ' ')

  it('is named by check and by status, with the line of its option file', async () => {
    const reason = `after a restart its database is read-only, and nobody can write: ${optionFile}:2`
    const checked = await world.muster('check', ['--json'])
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining(reason) })
    await eventually(async () => {
      const status = await world.muster('status')
      expect(unwrapped(status.stderr)).toContain(`note: db1: ${reason}. Set replication-user`)
    })
    writeFileSync(optionFile, '[mariadbd]\n')
    expect((await world.muster('status')).stderr).not.toContain('after a restart')
    const again = await world.muster('check', ['--json'])
    expect(again.stdout).toContain(`Write read_only=1 below [mariadbd] in ${optionFile};`)
  })
})
