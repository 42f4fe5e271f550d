import { describe, expect, it } from 'vitest'
import type { DatabaseLogin } from '../../../src/contracts/databaseAccounts.ts'
import { hostConfig, installationFacts } from '../../support/deploymentValues.ts'
import { clusterConfig, reasons, subject, verdicts } from './values.ts'

const places = { db1: '10.0.0.11:3306', db2: '10.0.0.12:3306', db3: '10.0.0.13:3306' }
const names = ['db1', 'db2', 'db3'] as const

/** What the servers say, as the accounts of one manager read it. */
const loginsOf = (
  servers: Partial<Readonly<Record<(typeof names)[number], DatabaseLogin['server']>>>,
): readonly DatabaseLogin[] =>
  Object.entries(servers).map(([name, server]) => ({
    option: 'monitor-user',
    place: places[name as 'db1'],
    ...(server && { server }),
  }))
const writer = { isWritable: true, follows: [] }
const replica = { isWritable: false, follows: [places.db1] }

/** The service of a file with this master. */
const serviceOf = (master: string) => ({
  name: 'alpha',
  datasources: names.map((name, at) => ({
    name,
    host: `10.0.0.${at + 11}`,
    port: 3306,
    role: name === master ? ('primary' as const) : ('replica' as const),
  })),
})

/** What the check finds at this host, whose manager was installed with a master, if any. */
const found = (
  master: 'db1' | 'db2',
  logins: readonly DatabaseLogin[],
  { host = master as string, installed = '' } = {},
): Parameters<typeof verdicts> => {
  const settings = { services: { services: [serviceOf(installed)] } }
  const facts = installed === '' ? {} : { settings: new Map([['manager' as const, settings]]) }
  const config = { ...clusterConfig([hostConfig({ name: host })]), services: [serviceOf(master)] }
  const of = subject({ host: { name: host }, facts: { installation: installationFacts(facts) } })
  // Another host was asked.
  return ['master', [of, { ...subject({ host: { name: 'db3' } }), logins }], { config }]
}

describe('the check of the master', () => {
  it('is content with a master whose server follows nobody, and with any other host', () => {
    const logins = loginsOf({ db1: writer, db2: replica, db3: replica })
    expect(reasons(...found('db1', logins))).toEqual([
      'ok: its database follows no other: it is the master of alpha',
    ])
    expect(reasons(...found('db2', logins, { host: 'db1' }))).toEqual([
      'ok: the file names it as no master of databases',
    ])
  })

  it('fails for a master that is a replica, with the line of the file, the primary and both ways out', () => {
    const logins = loginsOf({ db1: writer, db2: replica, db3: replica })
    const reason =
      'muster.yaml:4 names db2 as the master of alpha, but its database follows db1, which takes the writes'
    const fix = 'Write master: db1 there, or make db2 the primary: muster switch --to db2'
    expect(verdicts(...found('db2', logins))).toEqual([{ result: 'failure', reason, fix }])
    expect(verdicts(...found('db2', logins, { installed: 'db1' }))).toEqual([
      { result: 'failure', reason, fix },
    ])
  })

  it('warns where the master was installed so: the primary may have been switched since', () => {
    const logins = loginsOf({ db1: writer, db2: replica })
    expect(reasons(...found('db2', logins, { installed: 'db2' }))).toEqual([
      expect.stringMatching(/^warning: muster\.yaml:4 names db2 as the master of alpha, but /),
    ])
  })

  it.each<readonly [string, string, Parameters<typeof loginsOf>[0]]>([
    [
      'a server that is none of the data sources',
      'its database follows 10.9.9.9:3306, and db1 takes the writes',
      { db1: writer, db2: { isWritable: false, follows: ['10.9.9.9:3306'] } },
    ],
    ['a server that cannot be read', 'its database follows db1', { db2: replica }],
    [
      'one that could be written, too',
      'its database follows db1',
      { db1: writer, db2: replica, db3: writer },
    ],
    [
      'nobody, but is read-only',
      'its database is read-only, and db1 takes the writes',
      { db1: writer, db2: { isWritable: false, follows: [] } },
    ],
  ])('names whom the master follows: %s', (_, words, servers) => {
    const [one] = reasons(...found('db2', loginsOf(servers)))
    expect(one).toBe(`failure: muster.yaml:4 names db2 as the master of alpha, but ${words}`)
  })

  it('says nothing of servers that nobody could read', () => {
    const unread = 'ok: not checked: no installed manager could read the database of the master of alpha'
    expect(reasons(...found('db2', []))).toEqual([unread])
    expect(reasons(...found('db2', loginsOf({ db1: writer, db2: undefined })))).toEqual([unread])
    // No server takes the writes: that is for `muster status` to say.
    expect(reasons(...found('db1', loginsOf({ db1: { isWritable: false, follows: [] } })))).toEqual([
      'ok: its database follows no other: it is the master of alpha',
    ])
  })
})
