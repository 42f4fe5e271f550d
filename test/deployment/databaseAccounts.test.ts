import { describe, expect, it } from 'vitest'
import type { HostConfig } from '../../src/config/model.ts'
import {
  missingGrants,
  newGrants,
  parseLogins,
  tryDatabases,
  unprovenDatabases,
} from '../../src/deployment/databaseAccounts.ts'
import type { Target } from '../../src/deployment/target.ts'
import { grantsText, newGrantsNote, rejectedText, unprovenText } from '../../src/output/deployment/grants.ts'
import { TransportError } from '../../src/transport/transportError.ts'
import { fakeTransport, type ToldResult } from '../support/fakeTransport.ts'
import { monitorSettings } from '../support/monitorSettings.ts'
import { finishedFacts, targetOf } from './steps/target.ts'

const password = { kind: 'env', name: 'P' } as const
const database: NonNullable<HostConfig['database']> = {
  type: 'mariadb',
  host: '127.0.0.1',
  port: 3306,
  service: 'alpha',
  account: { user: "o'brien", password },
}

/** A member with a database and both of its accounts, not yet installed. */
const member = (changes: Partial<HostConfig> = {}): Target =>
  targetOf({
    host: {
      database,
      monitor: { ...monitorSettings, user: 'watch', password },
      member: { service: 'alpha', datasource: 'db1', witness: false },
      ...changes,
    },
  })
/** The same with a manager that switches the primary by the replicator's account. */
const switchingMember = (changes: Partial<HostConfig> = {}): Target => {
  const target = member(changes)
  const limits = { maxLag: 1, maxTransaction: 1, drainTimeout: 1, maxHold: 1 }
  const components = target.components.map((one) =>
    one.settings.component === 'manager'
      ? { ...one, settings: { ...one.settings, switching: { user: "o'brien", ...limits } } }
      : one,
  )
  return { ...target, components }
}
const installed = (target: Target): Target => ({ ...target, facts: finishedFacts(target) })
const told = (...targets: readonly Target[]): readonly string[] =>
  newGrants(targets).map(({ option, type, sql }) => `${option} ${type} ${/CREATE.*@(\S+)/.exec(sql)?.[1]}`)

describe('the database accounts of a run', () => {
  it('are listed with SQL and error if their login failed, with a placeholder for the password', () => {
    const error = 'The database 127.0.0.1:3306 said ERROR 1045: Access denied.'
    const logins = [
      { option: 'replication-user' as const, place: '127.0.0.1:3306', error, refused: true as const },
      { option: 'monitor-user' as const, place: '127.0.0.1:3306', error, refused: true as const },
    ]
    expect(
      grantsText(missingGrants([installed(member())], [{ host: 'db1', logins }])),
    ).toBe(`No login as 'o'brien' (replication-user) from db1: ${error}
Correct replication-password if it is another one. If the account is missing, create it with the password of your file:

-- replication-user, MariaDB
-- Run this on the primary: replication copies it to the replicas.
-- Also run it on every database without replication. It is safe to run it twice.
CREATE USER IF NOT EXISTS 'o\\'brien'@'127.0.0.1' IDENTIFIED BY '<replication-password>';
GRANT REPLICA MONITOR ON *.* TO 'o\\'brien'@'127.0.0.1'; -- for SHOW ALL SLAVES STATUS
GRANT BINLOG MONITOR ON *.* TO 'o\\'brien'@'127.0.0.1'; -- for SHOW MASTER STATUS
GRANT REPLICATION SLAVE ADMIN ON *.* TO 'o\\'brien'@'127.0.0.1'; -- for START SLAVE, STOP SLAVE and, in a switch, CHANGE MASTER
GRANT RELOAD ON *.* TO 'o\\'brien'@'127.0.0.1'; -- for RESET SLAVE and, in a switch, FLUSH TABLES WITH READ LOCK
GRANT PROCESS ON *.* TO 'o\\'brien'@'127.0.0.1'; -- for a switch: the connections and transactions of clients
GRANT CONNECTION ADMIN ON *.* TO 'o\\'brien'@'127.0.0.1'; -- for a switch: KILL
GRANT READ_ONLY ADMIN ON *.* TO 'o\\'brien'@'127.0.0.1'; -- for a switch: SET GLOBAL read_only
GRANT REPLICATION MASTER ADMIN ON *.* TO 'o\\'brien'@'127.0.0.1'; -- for a switch: SET GLOBAL rpl_semi_sync_master_enabled
GRANT REPLICATION SLAVE ON *.* TO 'o\\'brien'@'127.0.0.1'; -- for a switch: the former primary follows the new one
-- Optional: GRANT SUPER ON *.* TO 'o\\'brien'@'127.0.0.1'; -- for a switch: SET GLOBAL event_scheduler
-- Optional: GRANT EVENT ON *.* TO 'o\\'brien'@'127.0.0.1'; -- for a switch: the names of events

No login as 'watch' (monitor-user) from db1: ${error}
Correct monitor-password if it is another one. If the account is missing, create it with the password of your file:

-- monitor-user, MariaDB
-- Run this on the primary: replication copies it to the replicas.
-- Also run it on every database without replication. It is safe to run it twice.
CREATE USER IF NOT EXISTS 'watch'@'10.0.0.11' IDENTIFIED BY '<monitor-password>';
GRANT REPLICA MONITOR ON *.* TO 'watch'@'10.0.0.11'; -- for SHOW ALL SLAVES STATUS
GRANT BINLOG MONITOR ON *.* TO 'watch'@'10.0.0.11'; -- for SHOW MASTER STATUS
`)
  })

  it('are listed once for all hosts, for every address if they differ', () => {
    const witness = targetOf({
      host: { address: '10.0.0.13', monitor: { ...monitorSettings, user: 'watch', password } },
    })
    const local = "replication-user mariadb '127.0.0.1'"
    expect(told(member(), member({ address: '10.0.0.12' }), witness)).toEqual([
      local,
      "monitor-user mariadb '%'",
    ])
    const [, monitor] = newGrants([member(), witness])
    expect(monitor?.sql).toMatch(/^-- '%' matches every address: restrict it/)
    expect(told(member(), member())).toEqual([local, "monitor-user mariadb '10.0.0.11'"])
    expect(told(member({ address: 'db1.example.org' }))).toEqual([local, "monitor-user mariadb '%'"])
    expect(told(member({ address: 'localhost' }))[1]).toBe("monitor-user mariadb '127.0.0.1'")
  })

  it("are listed per database type, the replicator's with its own address", () => {
    const other = { ...database, type: 'mysql' as const, host: '192.0.2.12' }
    expect(told(member(), member({ address: '10.0.0.12', database: other }))).toEqual([
      "replication-user mariadb '127.0.0.1'",
      "monitor-user mariadb '%'",
      "monitor-user mysql '%'",
      "replication-user mysql '10.0.0.12'",
    ])
  })

  it('are listed only if they are new', () => {
    const [one, two] = [installed(member()), installed(member({ address: '10.0.0.12' }))]
    expect(told(one, two)).toEqual([])
    expect(newGrantsNote(newGrants([one, two]))).toBeUndefined()
    expect(newGrantsNote(newGrants([member()]))).toBe(
      "the databases need the accounts 'o'brien' (replication-user) and 'watch' (monitor-user); install tries their logins, and `muster explain replication-user` and `muster explain monitor-user` shows the SQL",
    )
    const other = {
      ...member({ monitor: { ...monitorSettings, user: 'other', password } }),
      facts: finishedFacts(member()),
    }
    expect(told(other)).toEqual(["monitor-user mariadb '10.0.0.11'"])
    const moved = { ...member({ database: { ...database, type: 'mysql' } }), facts: finishedFacts(member()) }
    expect(told(moved)).toEqual(["replication-user mysql '127.0.0.1'"])
    expect(told(one, member({ address: '10.0.0.13' }))).toEqual([
      "replication-user mariadb '127.0.0.1'",
      "monitor-user mariadb '%'",
    ])
  })

  it('are for the addresses of all managers that switch with them', () => {
    expect(told(switchingMember(), switchingMember({ address: '10.0.0.12' }))).toEqual([
      "replication-user mariadb '%'",
      "monitor-user mariadb '%'",
    ])
    expect(told(switchingMember({ address: 'localhost' }))).toEqual([
      "replication-user mariadb '127.0.0.1'",
      "monitor-user mariadb '127.0.0.1'",
    ])
  })

  it('are listed with the privileges that they lack for a switch, which alone they refuse', () => {
    const place = '10.0.0.11:3306'
    const switchLogin = { option: 'replication-user' as const, place, forSwitch: true as const }
    const good = { option: 'replication-user' as const, place: '127.0.0.1:3306' }
    const text = (...logins: Parameters<typeof missingGrants>[1][number]['logins'] & object) =>
      grantsText(missingGrants([switchingMember()], [{ host: 'db1', logins }])).split('\n\n')[0]
    expect(text(good, { ...switchLogin, missing: ['PROCESS', 'CONNECTION ADMIN'] })).toBe(
      "The account 'o'brien' (replication-user) lacks PROCESS and CONNECTION ADMIN, seen from db1. Until then the managers refuse to switch the primary; all else works.\nGrant what is missing:",
    )
    expect(text(good, { ...switchLogin, error: 'Access denied.', refused: true })).toBe(
      "No login as 'o'brien' (replication-user) from db1: Access denied. Until then the managers refuse to switch the primary; all else works.\nCorrect replication-password if it is another one. If the account is missing, create it with the password of your file:",
    )
    expect(
      text({ ...good, error: 'Access denied.', refused: true }, { ...switchLogin, missing: ['PROCESS'] }),
    ).not.toContain('all else works')
    expect(text(good, switchLogin)).toBe('')
  })

  it('are none if the file names none', () => {
    expect(told(targetOf())).toEqual([])
    const { account: _, ...bare } = database
    expect(
      told(
        targetOf({
          host: { database: bare, member: { service: 'alpha', datasource: 'db1', witness: false } },
        }),
      ),
    ).toEqual([])
  })

  it('are listed after a run only if a login failed', async () => {
    const target = member()
    const tried = async (result: Partial<ToldResult> | TransportError) => {
      const one = await tryDatabases(fakeTransport({ expect: [{ script: 'try-databases', result }] }), target)
      return missingGrants([target], one === undefined ? [] : [one]).map(({ option }) => option)
    }
    const place = '127.0.0.1:3306'
    const lines = (...lists: readonly object[][]) => ({
      stdout: lists.map((list) => `${JSON.stringify(list)}\n`).join(''),
    })
    const good = [{ option: 'replication-user', place }]
    const bad = [{ option: 'monitor-user', place, error: 'no', refused: true }]
    expect(await tried(lines(good))).toEqual([])
    expect(await tried(lines(good, bad))).toEqual(['monitor-user'])
    // What an older release or a broken host says is no reason to be silent about what is new.
    expect(await tried({ code: 3 })).toEqual(['replication-user', 'monitor-user'])
    expect(await tried(lines([{ ...good[0], forSwitch: true, missing: ['PROCESS'] }]))).toEqual([
      'replication-user',
    ])
    for (const missing of ['PROCESS', [1], ['A\n'], Array(51).fill('A')]) {
      expect(await tried(lines([{ ...good[0], missing }]))).toEqual(['replication-user', 'monitor-user'])
    }
    expect(await tried({ stdout: '[{"option":"admin"}]' })).toEqual(['replication-user', 'monitor-user'])
    expect(
      await tried(new TransportError({ host: 'db1', code: 'timeout', message: 'gone', fix: 'wait' })),
    ).toEqual(['replication-user', 'monitor-user'])
    expect(missingGrants([installed(target)], [{ host: 'db1', logins: undefined }])).toEqual([])
    const rejected = async (list: readonly object[]) => {
      const one = await tryDatabases(
        fakeTransport({ expect: [{ script: 'try-databases', result: lines([...list]) }] }),
        target,
      )
      return rejectedText(missingGrants([target], one === undefined ? [] : [one]))
    }
    expect(await rejected(bad)).toBe("the databases reject 'watch' (monitor-user)")
    expect(await rejected([{ ...bad[0], refused: undefined }])).toBeUndefined()
    // The account of a database that did not prove itself may be well.
    const unproven = [{ option: 'monitor-user' as const, place, error: 'expired', unproven: true }]
    expect(await tried(lines(unproven))).toEqual([])
    const [seen] = parseLogins(JSON.stringify(unproven)) ?? []
    const others = [1, 2].map((host) => ({ host: `db${host}`, logins: seen ? [seen, seen] : [] }))
    expect([...unprovenDatabases(others)]).toEqual([[place, 'expired']])
    expect(unprovenText(unprovenDatabases(others))).toBe(`no login at ${place}, which did not prove itself`)
    expect(unprovenText(unprovenDatabases([]))).toBeUndefined()
    const down = [{ option: 'monitor-user' as const, place, error: 'nothing listens there' }]
    const missing = (one: Target) => missingGrants([one], [{ host: 'db1', logins: down }])
    expect(missing(target)).toMatchObject([{ option: 'monitor-user', error: 'nothing listens there' }])
    expect(missing(installed(target))).toEqual([])
    expect(await tryDatabases(fakeTransport({}), targetOf())).toBeUndefined()
  })
})
