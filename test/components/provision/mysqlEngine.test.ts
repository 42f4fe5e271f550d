import { describe, expect, it } from 'vitest'
import { mysqlEngine, obstacleOfFolder } from '../../../src/components/provision/mysqlEngine.ts'

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
