import { describe, expect, it } from 'vitest'
import { type FollowedManagers, followManagers } from '../../../src/components/connector/followManagers.ts'
import { envelope } from '../../../src/contracts/envelope.ts'
import type { Routing } from '../../../src/contracts/routing.ts'
import { manualClock } from '../../support/manualClock.ts'
import { routed, routingOf } from '../../support/standInManager.ts'
import { dataSource } from '../../support/testConnector.ts'

const [db1, db2] = [dataSource({ name: 'db1', port: 1 }), dataSource({ name: 'db2', port: 2 })]
const toFirst = routingOf([routed(db1), routed({ ...db2, role: 'replica' })])
const toSecond = routingOf([routed({ ...db1, role: 'replica' }), routed(db2)])

const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Managers db1, db2 and db3 whose streams do what the test says. */
function following(names: readonly string[] = ['db1', 'db2', 'db3']) {
  const clock = manualClock()
  const events: string[] = []
  const streams = new Map<string, { event: (data: string) => void; end: (why: string) => void }>()
  const followed: FollowedManagers = followManagers({
    managers: names.map((name) => ({
      name,
      open: (event, signal) =>
        new Promise((resolve) => {
          streams.set(name, { event, end: (why) => resolve(new Error(why)) })
          signal.addEventListener('abort', () => resolve(new Error('left')))
        }),
    })),
    clock,
    timeout: 30_000,
    onRouting: ({ services }) => {
      const { datasource, reason } = services[0]?.writer ?? {}
      events.push(datasource ?? reason ?? 'nothing')
    },
    onLink: (name, problem) => events.push(`${name} ${problem ? 'lost' : 'back'}`),
    onOutage: (outage) => events.push(outage ? `outage${outage.isLong ? ', long' : ''}` : 'over'),
  })
  return {
    ...{ followed, clock, events },
    say: async (name: string, routing: Routing) => {
      streams.get(name)?.event(JSON.stringify(envelope('RoutingPayload', routing)))
      await settle()
    },
    lose: async (name: string) => {
      streams.get(name)?.end('gone')
      await settle()
    },
    retry: () => clock.advance(200),
    taken: () => events.splice(0),
  }
}

describe('a connector that follows managers of other hosts', () => {
  it('takes the first that is connected, and stays with it when an earlier one comes', async () => {
    const { followed, say, lose, retry, taken } = following()
    await say('db2', toFirst)
    expect([followed.base(), taken()]).toEqual(['db2', ['db1']])
    await say('db1', toFirst)
    expect([followed.base(), taken()]).toEqual(['db2', []])
    await lose('db2')
    expect([followed.base(), taken()]).toEqual(['db1', ['db2 lost']])
    retry()
    await say('db2', toFirst)
    expect([followed.base(), taken()]).toEqual(['db1', ['db2 back']])
  })

  it('has no writer while they disagree, and one again when they agree or one is lost', async () => {
    const { say, lose, taken } = following()
    await say('db1', toFirst)
    await say('db2', toSecond)
    expect(taken()).toEqual(['db1', 'managers disagree: db1 says db1, db2 says db2'])
    await say('db1', toSecond)
    expect(taken()).toEqual(['db2'])
    await say('db3', toFirst)
    expect(taken()).toEqual(['managers disagree: db1 says db2, db2 says db2, db3 says db1'])
    await lose('db3')
    expect(taken()).toEqual(['db3 lost', 'db2'])
  })

  it('says when all are lost, when that is too long, and when one is back', async () => {
    const { followed, say, lose, clock, retry, taken } = following(['db1', 'db2'])
    await say('db1', toFirst)
    await say('db2', toFirst)
    await lose('db1')
    expect([followed.outage(), taken()]).toEqual([undefined, ['db1', 'db1 lost']])
    await lose('db2')
    expect(taken()).toEqual(['db2 lost', 'outage'])
    expect(followed.outage()).toEqual({
      since: clock.now(),
      reason: 'db1: gone and db2: gone',
      isLong: false,
    })
    clock.advance(29_999)
    expect(taken()).toEqual([])
    clock.advance(1)
    expect([followed.outage()?.isLong, taken()]).toEqual([true, ['outage, long']])
    retry()
    await say('db2', toSecond)
    expect([followed.outage(), taken()]).toEqual([undefined, ['db2 back', 'db2', 'over']])
    // A new outage has its whole time again.
    await lose('db2')
    clock.advance(29_999)
    expect(taken()).toEqual(['db2 lost', 'outage'])
  })

  it('counts nobody as lost before each has answered or failed', async () => {
    const { followed, lose, taken } = following(['db1', 'db2'])
    let isAsked = false
    void followed.asked.then(() => {
      isAsked = true
    })
    await lose('db1')
    expect([taken(), isAsked]).toEqual([['db1 lost'], false])
    await lose('db2')
    expect([taken(), isAsked]).toEqual([['db2 lost', 'outage'], true])
  })

  it('leaves nothing behind when it stops', async () => {
    const { followed, lose, clock } = following(['db1', 'db2'])
    await lose('db1')
    await lose('db2')
    followed.stop()
    await settle()
    expect(clock.pending()).toBe(0)
  })
})
