import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { observe } from '../../src/deployment/preflight/observe.ts'
import { connectLocal } from '../../src/transport/local.ts'
import { hasMariadb, type Mariadb, type MariadbLab, mariadbLab } from '../support/mariadb.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

describe.skipIf(!hasMariadb)('sessions of MariaDB that read_only does not bind', () => {
  let lab: MariadbLab
  let server: Mariadb
  let socket: string

  beforeAll(async () => {
    lab = await mariadbLab()
    server = await lab.server()
    const [row] = await server.sql(
      'CREATE ROLE fixer',
      'GRANT READ_ONLY ADMIN ON *.* TO fixer',
      'CREATE ROLE above',
      'GRANT fixer TO above',
      ...['bound', 'backup', 'byrole'].map((it) => `CREATE USER ${it}@'127.0.0.1'`),
      "GRANT READ_ONLY ADMIN ON *.* TO backup@'127.0.0.1'",
      "GRANT above TO byrole@'127.0.0.1'",
      // Whoever comes from the host itself is the other one.
      "CREATE USER bound@'%'",
      "GRANT READ_ONLY ADMIN ON *.* TO bound@'%'",
      'SELECT @@socket AS socket',
    )
    socket = String(row?.socket)
  })
  afterAll(() => lab.end())

  const session = async (user: string) => {
    const connection = await createConnection({ host: '127.0.0.1', port: server.port, user })
    onTestFinished(() => connection.destroy())
    return connection
  }

  /** What the script of a check finds here, whose client is this one. */
  const found = async (client: string, mariadbPort = server.port) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'mariadb'), `#!/bin/sh\n${client}\n`)
    chmodSync(join(folder, 'mariadb'), 0o755)
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` }
    const transport = await connectLocal({ host: 'here', env })
    try {
      const options = { installDirectory: '/opt/muster', names: [], now: () => new Date() }
      return (await observe(transport, { ...options, mariadbPort })).unboundSessions
    } finally {
      await transport.close()
    }
  }
  const asRoot = () => `exec /usr/bin/mariadb --no-defaults --socket=${socket} --user=root "$@"`

  it('are found with their accounts, by a privilege of their own or of a role, and with what they run', async () => {
    await session('bound')
    await session('byrole')
    const busy = await session('backup')
    busy.query("SELECT SLEEP(600) AS `a`, 'it is secret'").catch(() => undefined)
    await expect
      .poll(() => server.sql("SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT SLEEP%'"))
      .toHaveLength(1)
    expect(await found(asRoot())).toEqual(
      expect.arrayContaining([
        { account: "'backup'@'127.0.0.1'", sessions: ['SELECT SLEEP from 127.0.0.1'] },
        { account: "'byrole'@'127.0.0.1'", sessions: ['idle from 127.0.0.1'] },
      ]),
    )
    expect(JSON.stringify(await found(asRoot()))).not.toMatch(/bound'@|secret/)
  })

  it('are not known where another server is at the usual socket, or the client is refused or missing', async () => {
    expect(await found(asRoot(), 1)).toBe('the server at its usual socket is not the one at port 1')
    expect(await found('echo "ERROR 1698: no" >&2; exit 1')).toBe(
      'the login at the database failed: ERROR 1698: no',
    )
    expect(await found('exit 0')).toBe('the database did not answer')
    await server.sql('CREATE USER nobody@localhost')
    expect(await found(asRoot().replace('=root', '=nobody'))).toBe(
      'the login at the database may not see all sessions and accounts',
    )
  })
})
