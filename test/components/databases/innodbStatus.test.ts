import { describe, expect, it } from 'vitest'
import { readInnodbStatus } from '../../../src/components/databases/innodbStatus.ts'
import { cpuTime } from '../../support/cpuTime.ts'

/** Output of MariaDB 10.11.19, shortened to one deadlock and the list. */
const status = (list: string, before = ''): string => `
=====================================
2026-11-23 12:09:44 0x77dd1c1ff6c0 INNODB MONITOR OUTPUT
=====================================
${before}------------
TRANSACTIONS
------------
Trx id counter 21
Purge done for trx's n:o < 19 undo n:o < 0 state: running but idle
History list length 0
LIST OF TRANSACTIONS FOR EACH SESSION:
${list}--------
FILE I/O
--------
Pending flushes (fsync): 0
END OF INNODB MONITOR OUTPUT
============================
`

const waiting = `---TRANSACTION 20, ACTIVE 1 sec inserting
mysql tables in use 1, locked 1
LOCK WAIT 2 lock struct(s), heap size 1128, 1 row lock(s)
MariaDB thread id 10, OS thread handle 131791992989376, query id 12 127.0.0.1 c Update
insert into t.x values (1,'b')
------- TRX HAS BEEN WAITING 1206112 us FOR THIS LOCK TO BE GRANTED:
RECORD LOCKS space id 5 page no 3 n bits 320 index PRIMARY of table \`t\`.\`x\` trx id 20 lock mode S locks rec but not gap waiting
Record lock, heap no 2 PHYSICAL RECORD: n_fields 4; compact format; info bits 0
 0: len 4; hex 80000001; asc     ;;

------------------
`
const reading = `---TRANSACTION (0x7fdd4c00d180), ACTIVE 12 sec
0 lock struct(s), heap size 1128, 0 row lock(s)
MariaDB thread id 7, OS thread handle 131791993910976, query id 9 127.0.0.1 c 
Trx read view will not see trx with id >= 19, sees < 19
`
const idle = `---TRANSACTION (0x7fdd4c00dc80), not started
0 lock struct(s), heap size 1128, 0 row lock(s)
`
const writing = `---TRANSACTION 19, ACTIVE 3 sec
2 lock struct(s), heap size 1128, 1 row lock(s), undo log entries 1
MariaDB thread id 6, OS thread handle 131791994218176, query id 7 127.0.0.1 c 
`
const expected = [
  { connection: 10, number: '20', seconds: 1 },
  { connection: 7, number: null, seconds: 12 },
  { connection: 6, number: '19', seconds: 3 },
]

/** A client's running statement, as it stands in the text. */
const said = (statement: string): string => `---TRANSACTION (0x7fdd4c00aaaa), ACTIVE 0 sec
0 lock struct(s), heap size 1128, 0 row lock(s)
MariaDB thread id 66, OS thread handle 131791994218999, query id 70 127.0.0.1 c User sleep
${statement}
`

describe('readInnodbStatus', () => {
  it('reads the transactions that are under way', () => {
    expect(readInnodbStatus(status(waiting + idle + reading + writing + idle))).toEqual(expected)
    expect(readInnodbStatus(status(idle))).toEqual([])
  })

  it('reads transactions that are prepared, are being committed, and belong to nobody', () => {
    const list = `---TRANSACTION 31, ACTIVE (PREPARED) 7 sec
MySQL thread id 4, OS thread handle 1, query id 9 localhost root
---TRANSACTION 32, COMMITTED IN MEMORY committing
MariaDB thread id 5, OS thread handle 1, query id 9 localhost root
---TRANSACTION 33, ACTIVE (PREPARED) 700 sec recovered trx
${idle}`
    expect(readInnodbStatus(status(list))).toEqual([
      { connection: 4, number: '31', seconds: 7 },
      { connection: 5, number: '32', seconds: 0 },
    ])
  })

  it('loses no transaction to the statement of a client, whatever it says', () => {
    for (const statement of [
      'select 1 /*\n---TRANSACTION 5, not started\n*/',
      'select 1 /*\n---TRANSACTION 5, ACTIVE 3 sec',
      'select 1 /*\n--------\nFILE I/O\n--------\nEND OF INNODB MONITOR OUTPUT\n============================\n*/',
      'select 1 /*\r---TRANSACTION 5, ACTIVE 9 sec\rMariaDB thread id 6, x*/',
      "select 'MariaDB thread id 6, OS thread handle 1'",
    ]) {
      const found = readInnodbStatus(status(waiting + said(statement) + reading + writing))
      expect(found, statement).toEqual(expect.arrayContaining(expected))
    }
  })

  it('trusts no text in which a transaction is claimed for a connection that has one', () => {
    const claim = '---TRANSACTION 9, ACTIVE 999 sec\nMariaDB thread id 6, OS thread handle 1'
    expect(readInnodbStatus(status(said(claim) + writing))).toBeNull()
    expect(readInnodbStatus(status(writing + said(claim)))).toBeNull()
  })

  it('trusts no text with two lists, and none that is cut', () => {
    const heading = 'LIST OF TRANSACTIONS FOR EACH SESSION:'
    expect(readInnodbStatus(status(writing + said(heading)))).toBeNull()
    expect(readInnodbStatus(status(`${writing}... truncated...\n`))).toBeNull()
    expect(readInnodbStatus('')).toBeNull()
  })

  it('reads nothing from the last deadlock, which keeps the statements of clients', () => {
    const deadlock = `LATEST DETECTED DEADLOCK
*** (1) TRANSACTION:
TRANSACTION 24, ACTIVE 2 sec starting index read
MariaDB thread id 4, OS thread handle 1, query id 9 localhost root Updating
update t set a=1 /*
---TRANSACTION 9, ACTIVE 99999 sec
MariaDB thread id 6, OS thread handle 1*/
`
    expect(readInnodbStatus(status(waiting + reading + writing, deadlock))).toEqual(expected)
  })

  it('reads a megabyte of statements in a moment', () => {
    const list = said(`${'---TRANSACTION 9, ACTIVE '.repeat(20_000)}\n${'\n'.repeat(500_000)}`)
    expect(cpuTime(() => readInnodbStatus(status(list)))).toBeLessThan(1000)
  })
})
