import { expect, it } from 'vitest'
import { joinReports } from '../../src/client/clusterView.ts'
import { clusterText } from '../../src/output/clusterText.ts'
import { disputed, primary, replica, report, service, silent, withoutWriter } from './clusterViews.ts'

const text = (views = disputed, layout = { colour: false, width: 200 }): string =>
  `${clusterText(views, layout).join('\n')}\n`

it('clusterText shows each service with its writer and data sources, and names the managers that disagree', () => {
  expect(text()).toBe(`alpha: writer db1
data source  role     state   lag
db1          primary  ONLINE  -
db2          replica  ONLINE  3 s

beta: writer db1
data source  role     state   lag
db1          primary  ONLINE  -
db2          replica  ONLINE  3 s
managers disagree on the writer of beta: db1 and db3 say db1; db2 says none: db1 and db2 can both be written (two-writers); db4 does not have it
managers disagree on db2: db1 says replica ONLINE; db2 says primary ONLINE; db3 says replica SHUNNED: an operator repairs it
no report from the managers of db5 and db6: unreachable
`)
})

it('clusterText shows the columns on a terminal of 80 columns, and blocks on a narrower one', () => {
  expect(text(disputed, { colour: false, width: 80 })).toBe(text())
  expect(text(disputed.slice(0, 1), { colour: false, width: 30 })).toBe(`alpha: writer db1
db1
  role: primary  state: ONLINE
    lag: -
db2
  role: replica  state: ONLINE
    lag: 3 s
`)
})

it('clusterText paints the states, and keeps the text', () => {
  const failed = { ...replica, state: 'FAILED', code: 'not-replicating', reason: 'it stopped' } as const
  const odd = { ...primary, code: 'read-only-primary', reason: 'it is read-only' } as const
  const views = joinReports([report('db1', service(odd, failed, { ...primary, name: 'db3' }))])
  const painted = text(views, { colour: true, width: 80 })
  expect(painted).toContain('\u001b[33mONLINE\u001b[39m')
  expect(painted).toContain('\u001b[31mFAILED\u001b[39m')
  expect(painted).toContain('\u001b[32mONLINE\u001b[39m')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours themselves.
  expect(painted.replaceAll(/\u001b\[\d+m/g, '')).toBe(text(views))
  expect(text(views)).toContain(
    'db1: it is read-only (read-only-primary)\ndb2: it stopped (not-replicating)\n',
  )
})

it('clusterText says why a service has no writer', () => {
  expect(text(joinReports([report('db1', withoutWriter(primary))]))).toMatch(
    /^alpha: no writer: db1 and db2 can both be written \(two-writers\)\n/,
  )
})

it('clusterText names the hosts that do not have a service or a data source', () => {
  const views = joinReports([
    report('db1', service(primary, replica)),
    report('db2', service(primary)),
    report('db3'),
  ])
  expect(text(views)).toContain(
    `managers disagree on alpha: db1 and db2 have it; db3 does not have it
managers disagree on db2: db1 has it; db2 does not have it
`,
  )
})

it('clusterText names the hosts whose maps or policies differ', () => {
  const views = joinReports([
    report('db1', service(primary, replica)),
    report('db2', { ...service(primary, { ...replica, port: 3307 }), policy: 'MAINTENANCE' }),
  ])
  expect(text(views)).toContain(
    `managers disagree on the policy of alpha: db1 says AUTOMATIC; db2 says MAINTENANCE
managers disagree on db2: db1 says replica ONLINE at 10.0.0.12:3306; db2 says replica ONLINE at 10.0.0.12:3307
`,
  )
})

it('clusterText says that no manager reported a service of the file', () => {
  const views = joinReports([silent('db1')], [{ name: 'alpha', datasources: [primary] }])
  expect(text(views)).toBe(
    'alpha: unknown, no manager reported it\nno report from the manager of db1: unreachable\n',
  )
})

it('clusterText leaves out services without data sources', () => {
  expect(
    clusterText(joinReports([report('db1', service()), silent('db2')]), { colour: false, width: 80 }),
  ).toEqual([])
})
