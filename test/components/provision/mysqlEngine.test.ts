import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mysqlEngine, obstacleOfFolder } from '../../../src/components/provision/mysqlEngine.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

describe('the statements of a MySQL', () => {
  it('are exactly those of the ranges, each of which ends with its last one', () => {
    const source = 'ecea779c-ec77-11f1-9f00-02fc00000001:tag'
    expect(
      mysqlEngine.statements(source, [
        [3, 3],
        [5, 7],
      ]),
    ).toEqual({
      script: `mysqlbinlog --no-defaults --verbose --include-gtids=${source}:3-3:5-7 "$@" > part`,
      marks: [`GTID_NEXT= '${source}:3'`, `GTID_NEXT= '${source}:7'`],
    })
  })
})

describe('the folder in which a MySQL would copy its data', () => {
  it('is an obstacle where secure_file_priv names none, or one that is missing', () => {
    for (const none of ['NULL', ''])
      expect(obstacleOfFolder(none, 1)).toContain('secure_file_priv names no folder')
    expect(obstacleOfFolder('/nowhere/files', 1)).toBe(
      'its /nowhere/files, which secure_file_priv names, cannot be read: no such file or folder',
    )
  })

  it('is one where its disk lacks space for the data and what is written meanwhile', () => {
    expect(obstacleOfFolder('/tmp', 1)).toBeUndefined()
    expect(obstacleOfFolder('/tmp', 1e18)).toMatch(
      /^its \/tmp has \S+ \wB free, and needs \S+ \wB for a copy of its data$/,
    )
  })
})

describe('the program that unpacks the copy of a MySQL', () => {
  /** Unpacks an archive with one file, after `change`. */
  function unpack(change: (archive: Buffer) => Buffer) {
    const folder = temporaryFolder()
    const to = join(folder, 'to it')
    for (const it of [join(folder, 'from'), to]) mkdirSync(it)
    writeFileSync(join(folder, 'from/ibdata1'), 'rows')
    const archive = execFileSync('tar', ['--create', '--file=-', `--directory=${folder}/from`, '.'])
    const [program, ...args] = mysqlEngine.unpack(to)
    return { to, outcome: spawnSync(program, args, { input: change(archive) }) }
  }

  it('reads on to the end of its input, also after that of the archive', () => {
    const { to, outcome } = unpack((archive) => Buffer.concat([archive, Buffer.alloc(4_000_000)]))
    expect([outcome.status, outcome.error]).toEqual([0, undefined])
    expect(readFileSync(join(to, 'ibdata1'), 'utf8')).toBe('rows')
  })

  it('fails where the archive does not come to its end', () => {
    expect(unpack((archive) => archive.subarray(0, 1100)).outcome.status).toBeGreaterThan(0)
  })
})
