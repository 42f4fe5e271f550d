import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findLedger, makeLedger, readLedger, removeLedger } from '../../../src/components/drill/ledger.ts'
import { writeRows } from '../../../src/components/drill/writers.ts'
import { mariadbEngine as engine } from '../../../src/components/provision/mariadbEngine.ts'
import type { WriterLine } from '../../../src/contracts/drilling.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hasMariadb, type Mariadb, type MariadbLab, mariadbLab } from '../../support/mariadb.ts'
import { proxySettings } from '../../support/proxySettings.ts'

describe.skipIf(!hasMariadb)('the ledger of a drill in a real MariaDB', () => {
  let lab: MariadbLab
  let server: Mariadb
  let place: { readonly engine: typeof engine; readonly socket: string }

  beforeAll(async () => {
    lab = await mariadbLab()
    server = await lab.server()
    const [row] = await server.sql('SELECT @@socket AS socket')
    place = { engine, socket: String(row?.socket) }
  })
  afterAll(() => lab?.end())
  beforeEach(() =>
    server.sql(
      'SET GLOBAL read_only = 0',
      'DROP DATABASE IF EXISTS muster_drill',
      "DROP USER IF EXISTS muster_drill@'%', muster_drill@localhost",
    ),
  )

  const write = async (password: Secret, until: (lines: readonly WriterLine[]) => boolean) => {
    const end = new AbortController()
    const lines: WriterLine[] = []
    await writeRows(
      { proxy: { ...proxySettings, address: '127.0.0.1', port: server.port } },
      {
        password: password.reveal(),
        signal: end.signal,
        say: (line) => {
          lines.push(line)
          if (until(lines)) end.abort()
        },
      },
    )
    return lines
  }

  it('has each row that was acknowledged, and is gone afterwards', async () => {
    const password = await makeLedger(place)
    expect(await findLedger(place)).toBe('own')
    const lines = await write(password, (them) => them.length >= 40)
    expect(lines.filter(({ refused }) => refused !== undefined)).toEqual([])
    const rows = await readLedger(place)
    for (const { writer, row } of lines) {
      expect(rows[writer]?.some(([first, last]) => first <= row && row <= last)).toBe(true)
    }
    await removeLedger(place)
    expect(await findLedger(place)).toBe('none')
    await removeLedger(place)
  })

  it('may be added to by its account, and nothing else', async () => {
    await makeLedger(place)
    const grants = await server.sql("SHOW GRANTS FOR muster_drill@'%'")
    expect(grants.flatMap((row) => Object.values(row))).toEqual([
      expect.stringMatching(/^GRANT USAGE ON \*\.\* TO/),
      'GRANT INSERT ON `muster_drill`.`ledger` TO `muster_drill`@`%`',
    ])
  })

  it('puts no password into the binary log', async () => {
    await server.sql('RESET MASTER')
    const password = await makeLedger(place)
    const events = JSON.stringify(await server.sql('SHOW BINLOG EVENTS'))
    expect(events).toMatch(/IDENTIFIED VIA mysql_native_password USING '\*[0-9A-F]{40}'/)
    expect(events).not.toContain(password.reveal())
  })

  it('says of each row that it was refused, and why', async () => {
    await makeLedger(place)
    const lines = await write(new Secret('0123456789abcdef'), (them) => them.length >= 4)
    expect(lines[0]?.refused).toMatch(
      /^The database 127\.0\.0\.1:\d+ rejected login 'muster_drill': ERROR 1045: .*\)\.$/,
    )
  })

  it('has the ranges of rows around one that is missing', async () => {
    await makeLedger(place)
    await server.sql('INSERT INTO muster_drill.ledger VALUES (0, 1), (0, 2), (0, 4), (3, 7)')
    expect(await readLedger(place)).toEqual([
      [
        [1, 2],
        [4, 4],
      ],
      [],
      [],
      [[7, 7]],
    ])
  })

  it('is made anew over what a drill left at any moment', async () => {
    for (const left of [
      [],
      ["DROP USER muster_drill@'%'"],
      ["DROP USER muster_drill@'%'", 'DROP TABLE muster_drill.ledger'],
    ]) {
      await makeLedger(place)
      await server.sql('SELECT 1', ...left)
      expect(await findLedger(place)).toBe('own')
      await makeLedger(place)
      expect(await readLedger(place)).toEqual([[], [], [], []])
    }
  })

  it.each([
    ['a database', ['CREATE DATABASE muster_drill']],
    ['an account', ["CREATE USER muster_drill@'%'"]],
    [
      'a further account',
      ["CREATE DATABASE muster_drill COMMENT 'made by muster drill'", 'CREATE USER muster_drill@localhost'],
    ],
    [
      'a table beside it',
      [
        "CREATE DATABASE muster_drill COMMENT 'made by muster drill'",
        'CREATE TABLE muster_drill.other (a INT)',
      ],
    ],
  ] as const)('is not made over %s of somebody else', async (_what, statements) => {
    await server.sql(...statements)
    expect(await findLedger(place)).toBe('foreign')
    await expect(makeLedger(place)).rejects.toThrow('that no drill has made')
    await expect(removeLedger(place)).rejects.toThrow('that no drill has made')
    expect(await findLedger(place)).toBe('foreign')
  })

  it('is neither made nor removed on a server that is read-only', async () => {
    await server.sql('SET GLOBAL read_only = 1')
    await expect(makeLedger(place)).rejects.toThrow('it is not the primary any more')
    expect(await findLedger(place)).toBe('none')
  })
})
