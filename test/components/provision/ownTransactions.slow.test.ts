import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mariadbEngine as engine } from '../../../src/components/provision/mariadbEngine.ts'
import { ownTransactions, saveTransactions } from '../../../src/components/provision/ownTransactions.ts'
import { eventually } from '../../support/eventually.ts'
import { hasMariadb, type Mariadb, type MariadbLab, makeReplica, mariadbLab } from '../../support/mariadb.ts'

describe.skipIf(!hasMariadb)('the transactions of a real MariaDB alone', () => {
  let lab: MariadbLab
  let server: Mariadb
  let place: {
    readonly engine: typeof engine
    readonly socket: string
    readonly folder: string
    readonly index: string
  }

  beforeAll(async () => {
    lab = await mariadbLab()
    server = await lab.server()
    const [row] = await server.sql('SELECT @@socket AS socket, @@datadir AS folder, @@log_bin_index AS log')
    place = {
      engine,
      socket: String(row?.socket),
      folder: String(row?.folder).replace(/\/$/, ''),
      index: String(row?.log),
    }
  })
  afterAll(() => lab?.end())

  let now = Date.parse('2026-11-30T01:02:02Z')
  /** Writes what another server has, too, and then, as its former primary, what that has not. */
  async function diverge(): Promise<NonNullable<ReturnType<typeof ownTransactions>>> {
    await server.sql(
      'RESET MASTER',
      'CREATE OR REPLACE TABLE mysql.x (a INT PRIMARY KEY, b TEXT)',
      "INSERT INTO mysql.x VALUES (1, 'common')",
      'FLUSH LOGS',
      'SET SESSION server_id = 7',
      "INSERT INTO mysql.x VALUES (2, 'of the new primary')",
    )
    const theirs = await engine.readGtids(place)
    await server.sql(
      'FLUSH LOGS',
      "INSERT INTO mysql.x VALUES (3, 'own')",
      "SET SESSION binlog_format = 'ROW'",
      "UPDATE mysql.x SET b = 'changed' WHERE a = 1",
      'SET SESSION gtid_domain_id = 5',
      "INSERT INTO mysql.x VALUES (4, 'own in another domain')",
    )
    const found = ownTransactions(await engine.readGtids(place), { ...theirs, primary: '7' })
    if (!found) throw new Error('it has none')
    return found
  }
  const save = async (gtids: Awaited<ReturnType<typeof diverge>>): Promise<string> => {
    const { uid, gid } = statSync(place.folder)
    now += 1000
    return saveTransactions({ ...place, owner: { uid, gid } }, { ...place, gtids, now: new Date(now) })
  }

  /** Removes the binary logs before one; the engine may need them for a while. */
  const purge = (log: string): Promise<unknown> =>
    eventually(async () => {
      const [first] = await server.sql(`PURGE BINARY LOGS TO '${log}'`, 'SHOW BINARY LOGS')
      expect(first?.Log_name).toBe(log)
    })

  it('are told by its GTIDs and the number of the server that it replicates from', async () => {
    await server.sql('RESET MASTER', 'CREATE OR REPLACE TABLE mysql.x (a INT PRIMARY KEY, b TEXT)')
    expect(await engine.readGtids(place)).toEqual({ written: '0-1-1', primary: '1' })
    const replica = await lab.server()
    await makeReplica({ primary: server, replica })
    await replica.sql('START SLAVE')
    const [at] = await replica.sql('SELECT @@socket AS socket')
    await eventually(async () =>
      expect(await engine.readGtids({ engine, socket: String(at?.socket) })).toMatchObject({ primary: '1' }),
    )
    await replica.kill()
  })

  it('are written to a file of its owner, and nothing else is', async () => {
    const gtids = await diverge()
    const file = await save(gtids)
    expect(file).toBe(join(place.folder, '.muster-own-20261130T010203Z.sql'))
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(
      /^-- Transactions of this server that the binary log of the other one does not name: 0-1-5, 5-1-1\n/,
    )
    expect(text).toContain("INSERT INTO mysql.x VALUES (3, 'own')")
    // A change of a row stands in a comment, too, for people.
    expect(text).toContain("###   @2='changed'")
    expect(text).toContain("INSERT INTO mysql.x VALUES (4, 'own in another domain')")
    for (const other of ['common', 'of the new primary']) expect(text).not.toContain(`'${other}')`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(place.folder).filter((it) => it.startsWith('.muster'))).toHaveLength(1)
    now -= 1000
    await expect(save(gtids)).rejects.toThrow('File exists')
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('are there with others of the same server where the log does not reach back to where they begin', async () => {
    const gtids = await diverge()
    await purge('bin.000003')
    const moved = { ...gtids, ranges: new Map([['0-1', [[2, 5]] as const]]) }
    expect(readFileSync(await save(moved), 'utf8')).toContain("INSERT INTO mysql.x VALUES (3, 'own')")
  })

  it('are refused where the binary logs do not have the last one any more', async () => {
    const gtids = await diverge()
    await server.sql('FLUSH LOGS')
    await purge('bin.000004')
    await expect(save(gtids)).rejects.toThrow(
      'its binary logs do not have its own transaction 0-1-5 any more; RESET MASTER on it forgets that',
    )
  })
})
