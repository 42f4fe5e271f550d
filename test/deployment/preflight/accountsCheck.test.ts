import { describe, expect, it } from 'vitest'
import type { Component } from '../../../src/contracts/component.ts'
import type { DatabaseLogin } from '../../../src/contracts/databaseAccounts.ts'
import { tryInstalledDatabases } from '../../../src/deployment/databaseAccounts.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { subject, verdicts } from './values.ts'

const place = '10.0.0.11:3306'
const login = { option: 'replication-user', place } as const
const found = (...logins: readonly DatabaseLogin[]) => verdicts('accounts', [{ ...subject(), logins }])

describe('the check of database accounts', () => {
  it('tells which databases let the accounts in, and skips a host without any', () => {
    const other = { option: 'monitor-user', place: '10.0.0.12:3306' } as const
    expect(found(login, login, other)).toEqual([
      { result: 'ok', reason: 'the databases let its accounts in: 10.0.0.11:3306 and 10.0.0.12:3306' },
    ])
    const skipped = { result: 'ok', reason: 'not checked: nothing installed here logs in to a database' }
    expect(found()).toEqual([skipped])
    expect(verdicts('accounts', [subject()])).toEqual([skipped])
  })

  it('fails for an account that a database rejects, by its name', () => {
    const error = "The database 10.0.0.11:3306 rejected login 'repl': ERROR 1045: Access denied."
    expect(found({ ...login, user: 'repl', error, refused: true })).toEqual([
      {
        result: 'failure',
        reason: `no login as 'repl' (replication-user) at 10.0.0.11:3306: ${error}`,
        fix: 'Correct replication-password and run `muster install`, or create the account: `muster explain replication-user` shows the SQL.',
      },
    ])
    const [older] = found({ ...login, error, refused: true })
    expect(older?.reason).toMatch(/^no login as replication-user at /)
  })

  it('fails for a database that does not prove itself, whose account may be well', () => {
    const error = 'The certificate of the database 10.0.0.11:3306 has expired.'
    const monitor = { option: 'monitor-user', place, user: 'monitor', error, unproven: true } as const
    expect(found({ ...login, user: 'repl', error, unproven: true }, monitor)).toEqual([
      {
        result: 'failure',
        reason: `no login at 10.0.0.11:3306: ${error}`,
        fix: 'Until then managers do not see this database. `openssl s_client -starttls mysql -connect HOST:PORT` shows its certificate.',
      },
    ])
  })

  it('warns of a database that cannot be reached and of privileges that a switch lacks', () => {
    expect(
      found(
        { ...login, user: 'repl', error: 'Nothing listens there.' },
        { ...login, forSwitch: true, missing: ['PROCESS', 'RELOAD'] },
      ),
    ).toEqual([
      {
        result: 'warning',
        reason: "no login as 'repl' (replication-user) at 10.0.0.11:3306: Nothing listens there.",
        fix: 'Start the database, or create the account: `muster explain replication-user` shows the SQL.',
      },
      {
        result: 'warning',
        reason:
          'replication-user lacks PROCESS and RELOAD at 10.0.0.11:3306, so that the managers refuse to switch the primary',
        fix: 'Grant what is missing: `muster explain replication-user` shows the SQL.',
      },
    ])
  })

  it('logs in with what is installed, as the user of the components', async () => {
    const settings = new Map<Component, unknown>([
      ['manager', { switching: { user: 'muster' } }],
      ['connector', { proxy: {} }],
      ['replicator', undefined],
    ])
    const facts = (map: ReadonlyMap<Component, unknown>) =>
      hostFacts({ uid: 0, installation: { ...installationFacts(), settings: map } })
    const transport = fakeTransport({
      expect: [
        {
          script: 'share/manager.json',
          result: { stdout: `${JSON.stringify([{ ...login, missing: ['PROCESS'] }])}\n` },
        },
      ],
    })
    expect(await tryInstalledDatabases(transport, { host: hostConfig(), facts: facts(settings) })).toEqual([
      { ...login, missing: ['PROCESS'] },
    ])
    expect(transport.scripts).toHaveLength(1)
    expect(transport.scripts[0]).not.toMatch(/connector|replicator/)
    const none = { host: hostConfig(), facts: facts(new Map()) }
    expect(await tryInstalledDatabases(fakeTransport({}), none)).toBeUndefined()
  })
})
