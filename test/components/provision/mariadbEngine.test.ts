import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readPosition } from '../../../src/components/provision/mariadbEngine.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const none = 'the backup names no GTIDs'

describe('the position of a backup', () => {
  it.each(['mariadb_backup_binlog_info', 'xtrabackup_binlog_info'])('is read from %s', (name) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, name), 'bin.000003\t1234\t0-1-55,2-7-3\n')
    expect(readPosition(folder)).toBe('0-1-55,2-7-3')
  })

  it.each(['', 'bin.000003\t1234', "bin.000003\t1234\t0-1-5'; DROP TABLE x", 'bin.000003\t1234\t'])(
    'is none where the file says something else: %j',
    (content) => {
      const folder = temporaryFolder()
      writeFileSync(join(folder, 'xtrabackup_binlog_info'), content)
      expect(() => readPosition(folder)).toThrow(none)
    },
  )

  it('is never read by way of a link', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'other'), 'bin.000003\t1234\t0-1-55\n')
    symlinkSync('other', join(folder, 'xtrabackup_binlog_info'))
    expect(() => readPosition(folder)).toThrow(none)
    expect(() => readPosition(temporaryFolder())).toThrow(none)
  })
})
