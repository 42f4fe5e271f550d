import { describe, expect, it } from 'vitest'
import type { DatabaseHost } from '../../src/deployment/provision.ts'
import {
  copiedText,
  provisionEndText,
  provisionPlanText,
  provisionStepText,
} from '../../src/output/provisionText.ts'
import { databaseHost } from '../support/databaseHost.ts'

describe('the plan of a database that is made anew', () => {
  const [from, to] = ['db1', 'db3'].map((name) => databaseHost(name, { bytes: 3e9, free: 9e9 })) as [
    DatabaseHost,
    DatabaseHost,
  ]
  const plan = (more: { readonly own?: string } = {}): string =>
    provisionPlanText({ service: 'alpha', from, to: { ...to, database: { ...to.database, ...more } } })

  it('names its own transactions, which are saved', () => {
    expect(plan({ own: '0-3-7' })).toBe(
      `alpha: db3 is made anew from db1
  3.0 GB of MariaDB 10.11.19 go to /srv/data of db3, where 9.0 GB are free
  db3 serves nobody until it follows; the old data (3.0 GB) are removed then
  its own transactions are saved as statements before, in a file there: 0-3-7
`,
    )
  })

  it('has no line about them where there are none, and says where nobody can tell', () => {
    expect(plan()).toMatch(/are removed then\n$/)
    const { gtids: _, ...stopped } = to.database
    expect(provisionPlanText({ service: 'alpha', from, to: { ...to, database: stopped } })).toMatch(
      /\n {2}its server does not run: transactions of its own, if it has any, are not saved\n$/,
    )
  })

  it('is followed by the file of them', () => {
    const file = '/srv/data/.muster-own-20261130T010203Z.sql'
    expect(provisionStepText({ step: 'save', file })).toBe(`save: its own transactions are saved to ${file}`)
    expect(provisionEndText(to, { state: 'ONLINE', saved: file })).toBe(
      `db3 is made anew and ONLINE\nits own transactions are in ${file} of db3\n`,
    )
  })
})

describe('the line about a copy', () => {
  it('has what arrived, of how much, how fast, and the time that is left', () => {
    expect(copiedText(1_200_000_000, { all: 10_000_000_000, seconds: 12 })).toBe(
      '1.2 GB of 10 GB, 100 MB/s, 88 s left',
    )
    expect(copiedText(1e9, { all: 100e9, seconds: 10 })).toBe('1.0 GB of 100 GB, 100 MB/s, 17 min left')
  })

  it('has no time where more arrived than was told', () => {
    expect(copiedText(2_000_000, { all: 1_000_000, seconds: 2 })).toBe('2.0 MB of 2.0 MB, 1.0 MB/s')
  })
})
