import { describe, expect, it } from 'vitest'
import { readMariadbGtids } from '../../../src/components/databases/gtidSet.ts'
import { createManager } from '../../../src/components/manager/createManager.ts'
import { openStateStore } from '../../../src/components/manager/managerState.ts'
import type { HoldOrder } from '../../../src/components/manager/switchHolds.ts'
import { follows, idle, managed, type Name, names, rolesTo, writes } from './managedService.ts'
import { answered, channel, installed, place, refusing } from './support.ts'

const id = '5b1c2c8e-0f5e-4b3c-8a51-0d7c1f7c9a11'
const otherId = '5b1c2c8e-0f5e-4b3c-8a51-0d7c1f7c9a12'
const order: HoldOrder = {
  id,
  service: 'alpha',
  operation: 'switch',
  from: 'db1',
  to: 'db2',
  step: 'hold',
  milliseconds: 8000,
  by: 'admin',
  isOwn: false,
}
const waiting = {
  datasource: null,
  code: null,
  reason: 'a switch from db1 to db2 is under way',
  hold: true,
  switching: { from: 'db1', to: 'db2' },
}
const problem = (code: string) => expect.objectContaining({ code })

type World = ReturnType<typeof managed>

async function agreed(more: Parameters<typeof managed>[0] = {}): Promise<World> {
  const world = managed(more)
  await world.agree()
  return world
}
const release = (world: World, primary: string | null, its = id) =>
  world.manager().release({ service: 'alpha', id: its, primary, isOwn: true })
const hold = (world: World, more: Partial<HoldOrder> = {}) => world.manager().hold({ ...order, ...more })
const holdOf = (world: World) => world.manager().holdOf('alpha')
/** As the servers are once the target is the primary. */
async function switchTo(world: World, primary: Name): Promise<void> {
  for (const name of names) world.set(name, name === primary ? writes(name) : follows(name, primary))
}

describe('the hold of a switch', () => {
  it('lets clients wait at once, on disk, and is renewed by the same switch alone', async () => {
    const world = await agreed()
    const before = world.changes()
    expect(hold(world)).toBe(true)
    expect(world.writer()).toEqual(waiting)
    expect(world.manager().routing().services[0]?.writer).toEqual(waiting)
    expect(world.changes()).toBe(before + 1)
    expect(world.onDisk().holds).toEqual([
      {
        id,
        service: 'alpha',
        operation: 'switch',
        from: 'db1',
        to: 'db2',
        step: 'hold',
        by: 'admin',
        until: '2025-03-10T10:12:26.000Z',
        isOwn: false,
        isDecided: false,
      },
    ])
    expect(hold(world)).toBe(false)
    expect(hold(world, { step: 'promote', isOwn: true })).toBe(true)
    await world.pass(5000)
    expect(hold(world, { step: 'drain' })).toBe(true)
    expect(holdOf(world)).toMatchObject({
      step: 'promote',
      until: '2025-03-10T10:12:31.000Z',
      isOwn: true,
      isInForce: true,
    })
    await world.pass(7999)
    expect(world.writer()).toEqual(waiting)
    expect(() => hold(world, { id: otherId })).toThrow(problem('operation-running'))
    expect(() => hold(world, { id: otherId })).toThrow(`at the step promote: ${id}, by admin`)
  })

  it('is refused for what is no switch of this service', async () => {
    const world = await agreed()
    const disk = world.onDisk()
    for (const [more, code] of [
      [{ service: 'beta' }, 'not-found'],
      [{ to: 'db9' }, 'not-found'],
      [{ from: 'db9' }, 'not-found'],
      [{ from: 'db2', to: 'db3' }, 'wrong-state'],
      [{ to: 'db1' }, 'wrong-state'],
    ] as const) {
      expect(() => hold(world, more)).toThrow(problem(code))
    }
    expect([world.onDisk(), world.writer().datasource]).toEqual([disk, 'db1'])
    hold(world)
    expect(() => hold(world, { to: 'db3' })).toThrow(problem('wrong-state'))
    world.full(true)
    expect(() => hold(world, { step: 'drain' })).toThrow(problem('not-ready'))
    expect(holdOf(world)?.step).toBe('hold')
  })

  it('fences nobody for what the switch does, and still who cannot be reached', async () => {
    const world = await agreed()
    hold(world, { milliseconds: 600_000 })
    await world.see('db1', idle('db1'), 20)
    await world.see('db2', idle('db2'), 20)
    await world.see('db3', follows('db3', 'db2'), 20)
    expect(names.map(world.state)).toEqual(['ONLINE', 'ONLINE', 'ONLINE'])
    await world.see('db2', refusing, 2)
    expect(world.state('db2')).toBe('ONLINE')
    await world.see('db2', refusing)
    expect(world.state('db2')).toBe('FAILED')
    expect(world.writer()).toEqual(waiting)
    // The next ones count from the end of the switch on.
    await world.see('db1', writes('db1'))
    await world.see('db3', idle('db3'), 20)
    await release(world, null)
    await world.see('db3', idle('db3'), 2)
    expect(world.state('db3')).toBe('ONLINE')
    await world.see('db3', idle('db3'))
    expect(world.state('db3')).toBe('FAILED')
  })

  it('gives no server the writes that becomes writable meanwhile', async () => {
    const world = await agreed()
    hold(world)
    await world.see('db3', writes('db3'))
    expect(world.writer()).toMatchObject({ datasource: null, code: 'two-writers', hold: true })
    await world.see('db1', idle('db1'))
    await world.see('db2', follows('db2', 'db3'))
    expect(world.writer()).toEqual(waiting)
    await world.see('db3', follows('db3', 'db1'))
    // Seen at different moments, both of the switch are no contradiction.
    await world.see('db2', writes('db2'))
    await world.see('db1', writes('db1'))
    expect(world.writer()).toEqual(waiting)
  })

  it('survives a restart, for as long as is left of it', async () => {
    const world = await agreed()
    hold(world)
    await world.pass(3000)
    world.restart()
    await world.agree()
    expect(world.writer()).toEqual(waiting)
    await world.pass(4999)
    expect(world.writer()).toEqual(waiting)
    await world.pass(1)
    expect(world.writer().datasource).toBe('db1')
    world.restart()
    expect(holdOf(world)).toMatchObject({ id, isInForce: false })
    await world.agree()
    expect(world.writer().datasource).toBe('db1')
  })

  it('ends with a data source of it', async () => {
    const world = await agreed()
    hold(world)
    world.manager().editMap('admin', (map) => ({
      map: {
        services: map.services.map((it) => ({
          ...it,
          datasources: it.datasources.filter(({ name }) => name !== 'db2'),
        })),
      },
      changed: true,
    }))
    expect([holdOf(world), world.onDisk().holds]).toEqual([undefined, []])
    expect(world.writer().datasource).toBe('db1')
    await world.pass(10_000)
    expect(world.writer().datasource).toBe('db1')
  })

  it('holds where nobody monitors, too', async () => {
    const manager = createManager({
      installed,
      kept: openStateStore({
        file: { read: () => undefined, write: () => undefined },
        path: '/state',
        installed,
        now: new Date(0),
      }),
      monitor: undefined,
      now: () => new Date(0),
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    })
    manager.hold(order)
    expect(manager.writer('alpha')).toEqual(waiting)
    await manager.release({ service: 'alpha', id, primary: 'db2', isOwn: true })
    expect(manager.writer('alpha').datasource).toBe('db2')
    manager.close()
  })
})

describe('the end of the hold of a switch', () => {
  it('is a release that names the new primary, and connectors see nothing in between', async () => {
    const world = await agreed()
    hold(world)
    await switchTo(world, 'db2')
    const heard: unknown[] = []
    world
      .manager()
      .onRoutingChange(() => void heard.push(world.writer().datasource ?? world.writer().switching))
    await expect(release(world, 'db2')).resolves.toBe(true)
    expect(heard.at(-1)).toBe('db2')
    for (const it of heard.slice(0, -1)) expect(it).toEqual(waiting.switching)
    expect(heard.length).toBeGreaterThan(1)
    expect(world.writer()).toEqual({ datasource: 'db2', code: null, reason: null, hold: false })
    expect(world.manager().map()).toEqual(rolesTo('db2'))
    expect([world.onDisk().holds, world.onDisk().writers]).toEqual([[], []])
    expect(
      names.map((name) =>
        world
          .manager()
          .routing()
          .services[0]?.datasources.find((it) => it.name === name),
      ),
    ).toEqual(
      names.map((name) =>
        expect.objectContaining({ role: name === 'db2' ? 'primary' : 'replica', readable: name !== 'db2' }),
      ),
    )
    await expect(release(world, 'db2')).resolves.toBe(false)
    await world.pass(20_000)
    expect(world.writer().datasource).toBe('db2')
  })

  it('is a release that takes nothing back where the old primary stays', async () => {
    const world = await agreed()
    hold(world)
    await world.see('db1', idle('db1'))
    world.set('db1', writes('db1'))
    await release(world, 'db1')
    expect([world.writer().datasource, world.manager().map()]).toEqual(['db1', installed])
  })

  it('is refused for another switch, and for a primary that is none of it', async () => {
    const world = await agreed()
    hold(world)
    await expect(release(world, 'db2', otherId)).rejects.toEqual(problem('operation-running'))
    await expect(release(world, 'db3')).rejects.toEqual(problem('wrong-state'))
    expect(world.writer()).toEqual(waiting)
    expect(world.manager().map()).toEqual(installed)
    world.full(true)
    await expect(release(world, 'db2')).rejects.toEqual(problem('not-ready'))
    expect(world.writer()).toEqual(waiting)
    world.full(false)
    await switchTo(world, 'db2')
    await expect(release(world, 'db2')).resolves.toBe(true)
    await expect(
      world.manager().release({ service: 'beta', id, primary: null, isOwn: true }),
    ).rejects.toEqual(problem('not-found'))
  })

  it('takes a primary by other means out of the state file', async () => {
    const world = await agreed()
    await world.see('db1', follows('db1', 'db2'))
    await world.see('db3', follows('db3', 'db2'))
    await world.see('db2', writes('db2'))
    expect([world.writer().datasource, world.onDisk().writers?.length]).toEqual(['db2', 1])
    hold(world, { from: 'db2', to: 'db1' })
    await switchTo(world, 'db1')
    await release(world, 'db1')
    expect([world.writer().datasource, world.onDisk().writers, world.manager().map()]).toEqual([
      'db1',
      [],
      installed,
    ])
  })

  it('leaves it to the servers when the time runs out', async () => {
    const world = await agreed()
    hold(world, { step: 'promote' })
    await world.see('db1', idle('db1'))
    await world.see('db2', writes('db2'))
    await world.pass(8000)
    expect(world.writer().datasource).toBe('db2')
    expect(world.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'the hold of a switch ran out before it ended',
      'follows the new primary of a switch that did not end',
    ])
    expect(holdOf(world)).toMatchObject({ id, isInForce: false, isDecided: true })
    expect(world.manager().map()).toEqual(installed)
    // The switch goes on: it may hold again, though its old primary is the writer no more.
    hold(world, { step: 'repoint' })
    expect(world.writer()).toEqual(waiting)
    await switchTo(world, 'db2')
    await release(world, 'db2')
    expect([world.writer().datasource, world.manager().map()]).toEqual(['db2', rolesTo('db2')])
  })

  it('believes no check from before the time ran out', async () => {
    const world = await agreed()
    hold(world)
    // Frozen since the last check.
    world.set('db1', idle('db1'))
    await world.pass(8000)
    expect(world.writer()).toMatchObject({ datasource: null, code: 'read-only-primary' })
    await world.see('db1', writes('db1'))
    expect(world.writer().datasource).toBe('db1')
  })

  it('is put off by a switch that goes on while the servers are checked', async () => {
    const world = await agreed()
    hold(world)
    let answer: (found: ReturnType<typeof idle>) => void = () => undefined
    world.set('db1', new Promise((resolve) => (answer = resolve)))
    await world.pass(8000)
    expect(hold(world, { step: 'drain' })).toBe(true)
    answer(writes('db1'))
    await world.pass(7000)
    expect(world.writer()).toEqual(waiting)
    world.set('db1', writes('db1'))
    await world.pass(1000)
    expect(world.writer().datasource).toBe('db1')
  })

  it('does not believe the old primary while the new one may be one and cannot be checked', async () => {
    const world = await agreed()
    hold(world, { step: 'promote' })
    await world.see('db2', refusing)
    await world.pass(8000)
    expect(world.writer()).toMatchObject({ datasource: null, code: null, hold: true })
    await world.see('db2', follows('db2', 'db1'))
    expect(world.writer().datasource).toBe('db1')
    // From now on it is as without a switch.
    world.restart()
    await world.agree()
    await world.see('db2', refusing)
    expect(world.writer().datasource).toBe('db1')
  })

  it('makes room for another switch, and the first one has nothing to say any more', async () => {
    const world = await agreed()
    hold(world)
    await world.pass(8000)
    expect(hold(world, { id: otherId, to: 'db3' })).toBe(true)
    expect(() => hold(world)).toThrow(problem('operation-running'))
    await expect(release(world, 'db2')).rejects.toEqual(problem('operation-running'))
    await release(world, null, otherId)
    expect(holdOf(world)).toBeUndefined()
  })

  it('takes a target back that failed meanwhile', async () => {
    const world = await agreed()
    hold(world, { step: 'promote' })
    await world.see('db1', idle('db1'))
    await world.see('db2', refusing, 3)
    expect(world.state('db2')).toBe('FAILED')
    await switchTo(world, 'db2')
    await release(world, 'db2')
    expect([world.state('db2'), world.writer().datasource]).toEqual(['ONLINE', 'db2'])
  })
})

describe('a failover that went back', () => {
  const gtids = readMariadbGtids('0-1-5')
  const replica = (source: Name) =>
    answered({
      ...{ serverId: 3, gtids, uptime: 100 },
      channels: [{ ...channel, source: place(source), sourceId: null, receivedGtids: gtids }],
    })
  const primary = answered({ isWritable: true, serverId: 1, gtids })

  it.each([
    ['lets a replica that it moved follow the primary again', true, { kind: 'follow', to: 'db1' }],
    ['is no reason to move a replica that somebody gave that source', false, undefined],
  ])('%s', async (_, isMoved, wanted) => {
    const world = await agreed({ own: 'db3' })
    await world.see('db1', primary)
    await world.see('db3', replica('db1'))
    hold(world, { operation: 'failover', step: 'catch-up' })
    if (isMoved) await world.see('db3', replica('db2'))
    await release(world, null)
    await world.see('db1', primary)
    await world.see('db3', replica('db2'))
    expect(world.writer().datasource).toBe('db1')
    expect(world.manager().ownOrder('alpha')?.order).toEqual(wanted)
  })
})
