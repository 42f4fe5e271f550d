import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { throttle } from '../../../src/components/connector/clock.ts'
import { changedMode, installedMode } from '../../../src/components/connector/connectorState.ts'
import * as refusals from '../../../src/components/connector/refusal.ts'
import { errorPacket } from '../../../src/components/connector/refusal.ts'
import { leastBusy, routeOf } from '../../../src/components/connector/routing.ts'
import {
  type DataSourceEntry,
  dataSourceRoles,
  dataSourceStates,
} from '../../../src/contracts/servicesMap.ts'
import { refusalIn } from '../../support/databaseClient.ts'
import { manualClock } from '../../support/manualClock.ts'

const source = (name: string, more: Partial<DataSourceEntry> = {}): DataSourceEntry => ({
  name,
  host: name,
  port: 3306,
  role: 'replica',
  state: 'ONLINE',
  ...more,
})

describe('errorPacket', () => {
  it('is byte for byte what MariaDB 10.11 sends instead of its greeting', () => {
    const seen = '17000000ff1004546f6f206d616e7920636f6e6e656374696f6e73'
    expect(errorPacket(1040, 'Too many connections').toString('hex')).toBe(seen)
  })

  it('has no message that a client cannot show whole', () => {
    const date = new Date().toISOString()
    const names = Array.from({ length: 40 }, (_, index) => `database-${index} did not answer within 3 s`)
    for (const { number, message } of [
      refusals.offline(date),
      refusals.stopping,
      refusals.tooManyHeld(1000),
      refusals.heldTooLong(8000),
      refusals.noDataSource('no primary of service alpha is ONLINE: db1 is SHUNNED'),
      refusals.tooManyPending(1000),
      refusals.pendingTooLong(8000),
      refusals.brokenLogin('did not go on'),
      refusals.unreachable('alpha', names, false),
      refusals.unreachable('alpha', [`db1 ${refusals.blocksThisHost}`], true),
    ]) {
      const packet = refusalIn(errorPacket(number, message))
      expect(packet.number).toBe(number)
      expect(message.startsWith(packet.message)).toBe(true)
      expect(Buffer.byteLength(packet.message)).toBeLessThanOrEqual(500)
    }
  })
})

describe('changedMode', () => {
  it('changes what is asked for, and keeps who and when where nothing changes', () => {
    const begin = installedMode(new Date(0))
    const held = changedMode(begin, { value: 'ONHOLD', by: 'anna', now: new Date(1000) })
    expect(held).toEqual({ value: 'ONHOLD', by: 'anna', since: '1970-01-01T00:00:01.000Z' })
    expect(changedMode(held, { value: 'ONHOLD', by: 'bert', now: new Date(2000) })).toBe(held)
  })
})

describe('rarely', () => {
  it('does its work at once, and again only when the time is over', () => {
    const clock = manualClock()
    const done: number[] = []
    const work = throttle({ milliseconds: 100, clock, work: (it: number) => void done.push(it) })
    work(1)
    work(2)
    clock.advance(99)
    work(3)
    clock.advance(1)
    work(4)
    work(5)
    expect(done).toEqual([1, 4])
  })
})

describe('routeOf', () => {
  const map = (...datasources: readonly DataSourceEntry[]) => ({ services: [{ name: 'alpha', datasources }] })
  const problem = (datasources: readonly DataSourceEntry[], role: 'primary' | 'replica') =>
    routeOf({ map: map(...datasources), service: 'alpha', role }).problem

  it('says why there is nowhere to go', () => {
    const primary = source('db1', { role: 'primary', state: 'SHUNNED' })
    expect(problem([primary], 'primary')).toBe('no primary of service alpha is ONLINE: db1 is SHUNNED')
    expect(problem([primary], 'replica')).toBe('the service alpha has no replica')
    const failed = [source('db2', { state: 'FAILED' }), source('db3', { state: 'OFFLINE' })]
    expect(problem(failed, 'replica')).toBe(
      'no replica of service alpha is ONLINE: db2 is FAILED, db3 is OFFLINE',
    )
    const other = routeOf({ map: map(), service: 'beta', role: 'primary' })
    expect(other).toEqual({ usable: [], problem: 'the services map has no service beta' })
  })

  it('goes to what is ONLINE or UNKNOWN in that role, to nothing else, and says a reason exactly where there is none', () => {
    const anySource = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      role: fc.constantFrom(...dataSourceRoles),
      state: fc.constantFrom(...dataSourceStates),
    })
    fc.assert(
      fc.property(fc.array(anySource), fc.constantFrom('primary', 'replica'), (sources, role) => {
        const all = sources.map(({ name, ...more }) => source(name, more))
        const { usable, problem: why } = routeOf({ map: map(...all), service: 'alpha', role })
        expect(usable).toEqual(
          all.filter((it) => it.role === role && ['ONLINE', 'UNKNOWN'].includes(it.state)),
        )
        expect(why === null).toBe(usable.length > 0)
      }),
    )
  })
})

describe('leastBusy', () => {
  it('takes the one with the fewest connections, and each in turn among equals', () => {
    const [a, b, c] = [
      { active: 2, chosen: 1 },
      { active: 1, chosen: 3 },
      { active: 1, chosen: 2 },
    ]
    expect(leastBusy([a, b, c])).toBe(c)
    expect(leastBusy([a, b])).toBe(b)
    expect(leastBusy([])).toBeUndefined()
  })
})
