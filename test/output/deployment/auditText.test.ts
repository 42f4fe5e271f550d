import { describe, expect, it } from 'vitest'
import { apiRoutes } from '../../../src/contracts/apiRoutes.ts'
import { deedsText } from '../../../src/output/deployment/auditText.ts'
import { auditRuns, joinRuns } from '../../../src/web/auditRuns.ts'

const line = (host: string, call: string, more: object = {}): string =>
  JSON.stringify({
    ...{
      time: '2026-03-01T12:00:02.345Z',
      requestId: `${host}-${call}`,
      host,
      caller: 'user',
      user: 'chief',
    },
    ...{ call, parameters: { service: 'alpha', datasource: 'db3' }, status: 200, changed: true },
    ...more,
  })
const told = (...lines: readonly string[]): string => deedsText(joinRuns(auditRuns(lines)))
const title = 'Changes through the APIs, by tapi or the dashboard, and by managers:\n'

describe('what people did through the APIs', () => {
  it('is one sentence for the same on several hosts', () => {
    expect(told(line('db1', 'managerShun'), line('db2', 'managerShun'), line('db3', 'managerShun'))).toBe(
      `${title}2026-03-01T12:00:02Z  chief shunned db3 of alpha, on db1, db2 and db3\n`,
    )
    expect(told()).toBe('')
  })

  it('says that a call failed, or changed nothing', () => {
    expect(told(line('db1', 'managerOnline', { status: 409, code: 'wrong-state' }))).toContain(
      '  chief called managerOnline alpha/db3, which failed with 409 wrong-state, on db1\n',
    )
    expect(told(line('db1', 'managerOnline', { changed: false }))).toContain(
      '  chief brought db3 of alpha online, which changed nothing, on db1\n',
    )
  })

  it('has a sentence for each call that changes something', () => {
    const names = Object.values(apiRoutes)
      .flatMap((routes) => Object.values(routes))
      .filter(({ method }) => method === 'POST')
      .map(({ name }) => name)
    // The managers make these for a switch.
    const inside = ['managerHold', 'managerRelease']
    expect(
      names.filter((name) => !inside.includes(name) && told(line('db1', name)).includes(' called ')),
    ).toEqual([])
  })

  it('names a failover that managers made by themselves, and none that a person asked for', () => {
    const parameters = { service: 'alpha', operation: 'failover', from: 'db2', to: 'db1', primary: 'db1' }
    const released = (host: string, by: string) =>
      line(host, 'release', { caller: 'host', user: undefined, parameters: { ...parameters, by } })
    expect(told(released('db1', 'manager'), released('db3', 'manager'), released('db3', 'chief'))).toBe(
      `${title}2026-03-01T12:00:02Z  the managers replaced the lost primary db2 of alpha by db1, on db1 and db3\n`,
    )
  })

  it('shows no control characters of a host', () => {
    const text = told(line('db1', 'managerShun', { user: 'a\u001b[2J\nb' }))
    expect(text).not.toContain('\u001b')
    expect(text.split('\n')).toHaveLength(3)
  })

  it('lists the newest fifty', () => {
    const lines = Array.from({ length: 60 }, (_, second) =>
      line('db1', 'managerShun', {
        time: new Date(Date.UTC(2026, 2, 1, 12, second)).toISOString(),
      }),
    )
    expect(told(...lines)).toMatch(/\nand 10 older: --json has them\n$/)
  })
})
