import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { tryLogins } from '../../../src/components/databases/tryLogins.ts'
import type { ServerSettings } from '../../../src/contracts/serverSettings.ts'
import { makeAuthority, makeLeaf } from '../../support/clientCertificate.ts'
import {
  createAccount,
  forgetReplication,
  hasMariadb,
  type Mariadb,
  makeReplica,
} from '../../support/mariadb.ts'
import { type MariadbPair, mariadbPair } from '../../support/mariadbPair.ts'
import { monitorSettings } from '../../support/monitorSettings.ts'
import { freePort } from '../../support/ports.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { settingsIn } from '../../support/testServer.ts'

const password = `it's "a\\b" é`

/** Settings of a component with these accounts, and the secrets file beside them. */
function settingsOf(
  accounts: Pick<ServerSettings, 'database' | 'monitor' | 'switching' | 'services'>,
  secrets: Readonly<Record<string, string>>,
): ServerSettings {
  const folder = temporaryFolder()
  const secretsFile = join(folder, 'secrets.json')
  writeFileSync(secretsFile, JSON.stringify(secrets))
  return settingsIn(folder, { listen: null, secretsFile, ...accounts })
}

const databaseAt = (port: number, user = 'muster') =>
  ({ type: 'mariadb', host: '127.0.0.1', port, user, service: 'alpha' }) as const

describe('the trial of database logins', () => {
  it('says that nothing listens, and tries nothing where the settings name no account', async () => {
    const port = await freePort()
    const settings = settingsOf({ database: databaseAt(port) }, { 'replication-password': password })
    expect(await tryLogins(settings)).toEqual([
      {
        option: 'replication-user',
        user: 'muster',
        place: `127.0.0.1:${port}`,
        error: expect.stringContaining('nothing listens there'),
      },
    ])
    expect(await tryLogins(settingsOf({}, {}))).toEqual([])
  })
})

describe.skipIf(!hasMariadb)('the trial of logins at real MariaDB servers', () => {
  let pair: MariadbPair
  let primary: Mariadb
  let replica: Mariadb

  beforeAll(async () => {
    pair = await mariadbPair((server) => createAccount(server, password))
    ;({ primary, replica } = pair)
  })
  afterAll(() => pair?.end())

  it('tries each account at each of its servers once, and tells who is not let in without the password', async () => {
    const source = (name: string, { port }: Mariadb) =>
      ({ name, host: '127.0.0.1', port, role: 'primary' }) as const
    const datasources = [source('db1', primary), source('db2', replica), source('db3', primary)]
    const accounts = {
      database: databaseAt(primary.port),
      monitor: { ...monitorSettings, user: 'muster' },
      services: { services: [{ name: 'alpha', datasources }] },
    }
    const secrets = { 'replication-password': password, 'monitor-password': 'another one' }
    const tried = await tryLogins(settingsOf(accounts, secrets))
    const [first, ...others] = tried
    expect(first).toEqual({
      ...{ option: 'replication-user', user: 'muster' },
      place: `127.0.0.1:${primary.port}`,
    })
    expect(others).toEqual(
      [primary, replica].map(({ port }) => ({
        option: 'monitor-user',
        user: 'muster',
        place: `127.0.0.1:${port}`,
        error: expect.stringMatching(
          /rejected login 'muster': ERROR 1045.*Check monitor-user and monitor-password\.$/,
        ),
        refused: true,
      })),
    )
    expect(JSON.stringify(tried)).not.toContain('another one')
  })

  it('returns the certificate of a server that proves itself, and says which one does not', async () => {
    const authority = makeAuthority('databases')
    const folder = temporaryFolder()
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    }
    const serveAs = async (name: string): Promise<string> => {
      const { key, cert } = makeLeaf(authority, { names: [name] })
      await replica.kill()
      await replica.start(`--ssl-cert=${file('cert.pem', cert)}`, `--ssl-key=${file('key.pem', key)}`)
      return cert
    }
    onTestFinished(async () => {
      await replica.kill()
      await replica.start()
    })
    const databaseProof = { authorities: file('ca.pem', authority.certificate), ownNames: ['db1'] }
    const settings = {
      ...settingsOf({ database: databaseAt(replica.port) }, { 'replication-password': password }),
      databaseProof,
    }
    const certificate = await serveAs('db1')
    const login = { option: 'replication-user', user: 'muster', place: `127.0.0.1:${replica.port}` }
    expect(await tryLogins(settings)).toEqual([{ ...login, certificate }])
    await serveAs('db2')
    expect(await tryLogins(settings)).toEqual([
      { ...login, error: expect.stringMatching(/is for DNS:db2, not for db1\./), unproven: true },
    ])
  })

  it('reads with the account of the monitor whom each data source follows', async () => {
    await makeReplica({ primary, replica })
    await replica.sql('SET GLOBAL read_only = 1')
    onTestFinished(async () => {
      await forgetReplication(replica)
      await replica.sql('SET GLOBAL read_only = 0')
    })
    const datasources = [primary, replica].map(
      ({ port }, index) => ({ name: `db${index}`, host: '127.0.0.1', port, role: 'primary' }) as const,
    )
    const accounts = {
      monitor: { ...monitorSettings, user: 'muster' },
      services: { services: [{ name: 'alpha', datasources }] },
    }
    const [one, other] = await tryLogins(settingsOf(accounts, { 'monitor-password': password }))
    expect(one).toMatchObject({ server: { isWritable: true, follows: [] } })
    expect(other).toMatchObject({ server: { isWritable: false, follows: [`127.0.0.1:${primary.port}`] } })
  })

  it('names the privileges that the account lacks for switches, at each database', async () => {
    await replica.sql(
      'SET sql_log_bin = 0',
      "REVOKE PROCESS, CONNECTION ADMIN ON *.* FROM muster@'127.0.0.1'",
    )
    onTestFinished(async () => {
      await replica.sql('SET sql_log_bin = 0', "GRANT PROCESS, CONNECTION ADMIN ON *.* TO muster@'127.0.0.1'")
    })
    const datasources = [primary, replica].map(
      ({ port }, index) => ({ name: `db${index}`, host: '127.0.0.1', port, role: 'primary' }) as const,
    )
    const limits = { maxLag: 1, maxTransaction: 1, drainTimeout: 1, maxHold: 1 }
    const accounts = {
      switching: { user: 'muster', ...limits },
      services: { services: [{ name: 'alpha', datasources }] },
    }
    const login = { option: 'replication-user', user: 'muster', forSwitch: true }
    const writable = { isWritable: true, follows: [] }
    expect(await tryLogins(settingsOf(accounts, { 'replication-password': password }))).toEqual([
      { ...login, place: `127.0.0.1:${primary.port}`, server: writable },
      {
        ...login,
        place: `127.0.0.1:${replica.port}`,
        server: writable,
        missing: ['PROCESS', 'CONNECTION ADMIN'],
      },
    ])
    expect(await tryLogins(settingsOf(accounts, { 'replication-password': 'wrong' }))).toMatchObject([
      { ...login, refused: true },
      { ...login, refused: true },
    ])
  })
})
