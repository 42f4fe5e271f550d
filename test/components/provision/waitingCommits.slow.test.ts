import { chownSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readMysqlGtids } from '../../../src/components/databases/gtidSet.ts'
import { type Committed, removeWaiting } from '../../../src/components/provision/waitingCommits.ts'
import { binaryLog, source, transaction } from '../../support/binaryLog.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

/** The owner of the data of a server, who has no other rights. */
const owner = { uid: 65_534, gid: 65_534 }
const whole = binaryLog([...transaction(1), ...transaction(2), ...transaction(3)])
const kept = binaryLog(transaction(1)).length

/** The data of a MySQL that had committed one transaction, and was killed. */
function killed(log = whole): Committed & { readonly path: string } {
  const folder = temporaryFolder()
  const path = join(folder, 'binlog.000002')
  const index = join(folder, 'binlog.index')
  writeFileSync(join(folder, 'binlog.000001'), 'an older log')
  writeFileSync(path, log)
  writeFileSync(index, './binlog.000001\n./binlog.000002\n')
  for (const it of [folder, path, index]) chownSync(it, owner.uid, owner.gid)
  return {
    path,
    index,
    folder,
    owner,
    gtids: readMysqlGtids(`${source}:1`) ?? { ranges: new Map(), upTo: new Map() },
  }
}
const isStopped = async () => true

describe.skipIf(process.getuid?.() !== 0)('the log of a MySQL that was killed', () => {
  it('loses what waited for a replica, and nothing before', async () => {
    const it = killed()
    expect(await removeWaiting(it, isStopped)).toBe(`${source}:2-3`)
    expect(readFileSync(it.path)).toEqual(whole.subarray(0, kept))
    expect(statSync(it.path)).toMatchObject(owner)
    expect(await removeWaiting(it, isStopped)).toBe('')
  })

  it('stays as it is where all was committed, or where it cannot be told', async () => {
    for (const log of [binaryLog(transaction(1)), whole.subarray(0, -1), Buffer.from('no log')]) {
      const it = killed(log)
      expect(await removeWaiting(it, isStopped)).toBe('')
      expect(readFileSync(it.path)).toEqual(log)
    }
  })

  it('stays as it is where somebody started the server meanwhile', async () => {
    const it = killed()
    await expect(removeWaiting(it, async () => false)).rejects.toThrow(
      'it was started by somebody else meanwhile',
    )
    expect(readFileSync(it.path)).toEqual(whole)
  })

  it('is no way for its owner to the files of others', async () => {
    const it = killed()
    const other = join(temporaryFolder(), 'of-root')
    writeFileSync(other, whole, { mode: 0o600 })
    unlinkSync(it.path)
    symlinkSync(other, it.path)
    await expect(removeWaiting(it, isStopped)).rejects.toThrow('Permission denied')
    writeFileSync(it.index, `${other}\n`)
    await expect(removeWaiting(it, isStopped)).rejects.toThrow('Permission denied')
    expect(readFileSync(other)).toEqual(whole)
  })
})
