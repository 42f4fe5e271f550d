import { describe, expect, it } from 'vitest'
import { mysqlEngine } from '../../../src/components/provision/mysqlEngine.ts'

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
