import { describe, expect, it } from 'vitest'
import type { HostConfig } from '../../../src/config/model.ts'
import type { DatabaseLogin } from '../../../src/contracts/databaseAccounts.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import { clusterConfig, reasons, subject, verdicts } from './values.ts'

const place = '10.0.0.11:3306'
const source = '10.0.0.12:3306'
const given = { name: 'db1', databaseAuthority: '/etc/ca.pem' } as const

/** What the check finds at db1, whose server says this to the manager of another host. */
const found = (
  server: DatabaseLogin['server'],
  host: Partial<HostConfig> = given,
): Parameters<typeof verdicts> => {
  const datasource = { name: 'db1', host: '10.0.0.11', port: 3306, role: 'replica' as const }
  const config = {
    ...clusterConfig([hostConfig({ name: 'db1' })]),
    services: [{ name: 'alpha', datasources: [datasource] }],
  }
  const logins: readonly DatabaseLogin[] = [{ option: 'monitor-user', place, ...(server && { server }) }]
  return [
    'database-tls',
    [subject({ host: { name: 'db1', ...host } }), { ...subject({ host: { name: 'db3' } }), logins }],
    { config },
  ]
}
const replica = { isWritable: false, follows: [source] }

describe('the check of TLS between databases', () => {
  it('is content where a replica has its source prove itself, and with a server that follows nobody', () => {
    expect(reasons(...found(replica))).toEqual([
      'ok: its database follows only one that proves itself by a certificate',
    ])
    expect(reasons(...found({ isWritable: true, follows: [] }))).toEqual([
      'ok: its database follows no other',
    ])
  })

  it.each([
    ['mariadb', 'MASTER'],
    ['mysql', 'SOURCE'],
  ] as const)(
    'names the source that need not prove itself to a replica of %s, with the way out',
    (type, word) => {
      const database = { type, host: '127.0.0.1', port: 3306, service: 'alpha' }
      expect(verdicts(...found({ ...replica, unproven: [source] }, { ...given, database }))).toEqual([
        {
          result: 'warning',
          reason: `its database follows ${source}, which need not prove itself to it`,
          fix: `Stop its replication, and give it ${word}_SSL=1, ${word}_SSL_CA='/etc/ca.pem' and ${word}_SSL_VERIFY_SERVER_CERT=1.`,
        },
      ])
    },
  )

  it('says that it checked nothing without the option, and where nobody could read the server', () => {
    expect(reasons(...found(replica, {}))).toEqual(['ok: not checked: database-tls-authority is not set'])
    expect(reasons(...found(undefined))).toEqual([
      'ok: not checked: no installed manager could read its database',
    ])
  })
})
