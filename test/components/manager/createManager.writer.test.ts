import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProblemError } from '../../../src/api/problemError.ts'
import type { Observation } from '../../../src/components/manager/checkResult.ts'
import { createManager } from '../../../src/components/manager/createManager.ts'
import { openStateStore } from '../../../src/components/manager/managerState.ts'
import { operate } from '../../../src/components/manager/operate.ts'
import type { OutsideChange } from '../../../src/contracts/choices.ts'
import type { DataSourceOperation } from '../../../src/contracts/dataSourceOperations.ts'
import { policies } from '../../../src/contracts/managerPayloads.ts'
import type { ServicesMap } from '../../../src/contracts/servicesMap.ts'
import { answered, channel, fakeMonitor, installed, lockedOut, place, refusing } from './support.ts'

const names = ['db1', 'db2', 'db3'] as const
type Name = (typeof names)[number]

const from = (name: Name) => ({ ...channel, source: place(name), sourceId: Number(name.slice(2)) })
const follows = (name: Name, source: Name, more = {}): Observation =>
  answered({ serverId: Number(name.slice(2)), channels: [from(source)], ...more })
const writes = (name: Name): Observation => answered({ isWritable: true, serverId: Number(name.slice(2)) })
const idle = (name: Name): Observation => answered({ serverId: Number(name.slice(2)) })

type Line = { readonly level: string; readonly message: string; readonly facts: object }

/** A manager whose disk is a variable, and what it said. */
function managed(more: { readonly map?: ServicesMap; readonly onOutsideChange?: OutsideChange } = {}) {
  const { map = installed, onOutsideChange = 'follow' } = more
  let disk: string | undefined
  let isFull = false
  const lines: Line[] = []
  const line = (level: string) => (facts: object, message: string) =>
    void lines.push({ level, message, facts })
  const file = {
    read: () => (disk === undefined ? undefined : JSON.parse(disk)),
    write: (value: unknown) => {
      if (isFull) throw new Error('full')
      disk = JSON.stringify(value)
    },
  }
  const monitor = fakeMonitor()
  const now = () => new Date('2025-03-10T10:00:00Z')
  let changes = 0
  const open = (mapped: ServicesMap) => {
    const opened = createManager({
      installed: mapped,
      kept: openStateStore({ file, path: '/state', installed: mapped, now: now() }),
      monitor: monitor.open,
      now,
      log: { info: line('info'), warn: line('warn'), error: line('error') },
      onOutsideChange,
    })
    opened.onRoutingChange(() => {
      changes += 1
    })
    return opened
  }
  let manager = open(map)
  const see = async (name: Name, found: Observation, times = 1): Promise<void> => {
    monitor.set(place(name), found)
    await monitor.tick(place(name), times)
  }
  return {
    manager: () => manager,
    lines,
    set: (name: Name, found: Observation) => monitor.set(place(name), found),
    see,
    /** A primary and two replicas, all looked at. */
    agree: async () => {
      await see('db1', writes('db1'))
      for (const name of ['db2', 'db3'] as const) await see(name, follows(name, 'db1'))
    },
    restart: (mapped = map) => {
      manager = open(mapped)
    },
    full: (is: boolean) => {
      isFull = is
    },
    onDisk: () => JSON.parse(disk ?? '{}'),
    changes: () => changes,
    writer: () => manager.writer('alpha'),
    /** Number of checks that were asked for. */
    asked: monitor.asked,
    state: (name: Name) => manager.view({ service: 'alpha', name }).state,
    finding: (name: Name) => manager.assessment({ service: 'alpha', name }).finding,
    operate: (operation: DataSourceOperation, name: Name) =>
      operate({ manager, operation, by: 'admin', audit: () => undefined }, { service: 'alpha', name }),
  }
}

const rolesTo = (primary: Name): ServicesMap => ({
  services: [
    {
      name: 'alpha',
      datasources: names.map((name) => ({
        name,
        ...place(name),
        role: name === primary ? ('primary' as const) : ('replica' as const),
      })),
    },
  ],
})

describe('the routing of a manager', () => {
  it('has the roles of the servers, the writer and who takes reads', async () => {
    const { manager, agree, see, operate } = managed()
    const row = (name: Name, role: string, state: string, readable: boolean) => ({
      name,
      ...place(name),
      role,
      state,
      readable,
    })
    const waiting = { datasource: null, code: null, reason: 'not checked yet: db1', hold: true }
    expect(manager().routing().services[0]?.writer).toEqual(waiting)
    await agree()
    expect(manager().routing()).toEqual({
      services: [
        {
          name: 'alpha',
          writer: { datasource: 'db1', code: null, reason: null, hold: false },
          datasources: [
            row('db1', 'primary', 'ONLINE', false),
            row('db2', 'replica', 'ONLINE', true),
            row('db3', 'replica', 'ONLINE', true),
          ],
        },
      ],
    })
    await see('db2', lockedOut)
    await operate('shun', 'db3')
    expect(manager().routing().services[0]?.datasources.slice(1)).toEqual([
      row('db2', 'replica', 'UNKNOWN', true),
      row('db3', 'replica', 'SHUNNED', false),
    ])
  })

  it('is told when it changes, after the change, and not otherwise', async () => {
    const { manager, agree, see, changes, operate } = managed()
    await agree()
    const before = changes()
    expect(before).toBeGreaterThan(0)
    await agree()
    await see('db3', follows('db3', 'db1', { isWritable: true }))
    manager().setPolicy('alpha', 'MANUAL')
    expect(changes()).toBe(before)
    const heard: unknown[] = []
    const stop = manager().onRoutingChange(
      () => void heard.push(manager().routing().services[0]?.datasources[1]?.state),
    )
    await operate('shun', 'db2')
    expect(heard).toEqual(['SHUNNED'])
    stop()
    await operate('welcome', 'db2')
    expect([heard.length, changes()]).toEqual([1, before + 2])
  })

  it('is the map where nobody checks it', () => {
    const open = (map: ServicesMap) =>
      createManager({
        installed: map,
        kept: openStateStore({
          file: { read: () => undefined, write: () => undefined },
          path: '/state',
          installed: map,
          now: new Date(0),
        }),
        monitor: undefined,
        now: () => new Date(0),
        log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      })
    const manager = open(installed)
    const [alpha] = manager.routing().services
    expect(alpha?.writer).toEqual({ datasource: 'db1', code: null, reason: null, hold: false })
    expect(alpha?.datasources.map(({ state, readable }) => [state, readable])).toEqual([
      ['UNKNOWN', false],
      ['UNKNOWN', true],
      ['UNKNOWN', true],
    ])
    manager.setState([{ service: 'alpha', name: 'db1' }], { state: 'SHUNNED', by: 'admin' })
    expect(manager.writer('alpha')).toEqual({
      datasource: null,
      code: null,
      reason: 'no primary of service alpha is ONLINE: db1 is SHUNNED',
      hold: false,
    })
    const two = installed.services.map((it) => ({
      ...it,
      datasources: it.datasources.map((one) => ({ ...one, role: 'primary' as const })),
    }))
    expect(open({ services: two }).writer('alpha')).toMatchObject({ code: 'two-writers', hold: true })
  })
})

describe('a primary that was changed while a manager ran', () => {
  /** The primary dies, db2 is promoted, db3 follows it. */
  async function moved(more: Parameters<typeof managed>[0] = {}) {
    const world = managed(more)
    await world.agree()
    await world.see('db1', refusing, 3)
    expect(world.writer()).toMatchObject({ datasource: null, hold: false })
    await world.see('db2', writes('db2'))
    await world.see('db3', follows('db3', 'db2'))
    return world
  }

  it('is followed, said in the log, and known after a restart', async () => {
    const world = await moved()
    expect(world.writer().datasource).toBe('db2')
    expect(world.lines).toContainEqual({
      level: 'warn',
      message: 'follows a primary that somebody changed by other means',
      facts: { service: 'alpha', from: 'db1', to: 'db2', fenced: null },
    })
    expect(world.onDisk().writers).toEqual([
      { service: 'alpha', name: 'db2', ...place('db2'), mapped: 'db1 10.0.0.1 3306' },
    ])
    world.restart()
    await world.see('db1', writes('db1'))
    await world.see('db2', writes('db2'))
    expect(world.writer().datasource).toBeNull()
    await world.see('db3', follows('db3', 'db2'))
    expect(world.writer().datasource).toBe('db2')
  })

  it('keeps the former one out when it comes back, until it follows', async () => {
    const world = await moved()
    await world.see('db1', writes('db1'), 20)
    expect([world.state('db1'), world.finding('db1')?.code]).toEqual(['FAILED', 'two-writers'])
    expect(world.writer().datasource).toBe('db2')
    await expect(world.operate('recover', 'db1')).resolves.toBe(true)
    await world.see('db1', writes('db1'), 20)
    expect(world.state('db1')).toBe('OFFLINE')
    await expect(world.operate('online', 'db1')).rejects.toThrow('as db2 does')
    await world.see('db1', follows('db1', 'db2'), 5)
    expect(world.state('db1')).toBe('ONLINE')
  })

  it('is not followed where that cannot be recorded, and is once it can', async () => {
    const world = managed()
    await world.agree()
    await world.see('db1', idle('db1'))
    await world.see('db3', follows('db3', 'db2'))
    world.full(true)
    await world.see('db2', writes('db2'))
    expect(world.writer()).toMatchObject({ datasource: null, hold: true })
    expect(world.lines).toContainEqual({
      level: 'error',
      message: 'the writer of a service stays as it is',
      facts: expect.objectContaining({ to: 'db2', problem: expect.stringContaining('full') }),
    })
    world.full(false)
    await world.see('db2', writes('db2'))
    expect(world.writer().datasource).toBe('db2')
  })

  it('is not followed where the option says so, until a person names it', async () => {
    const world = await moved({ onOutsideChange: 'hold' })
    expect(world.writer()).toMatchObject({ datasource: null, code: 'no-writer', hold: true })
    world.manager().editMap('admin', () => ({ map: rolesTo('db2'), changed: true }))
    expect(world.writer().datasource).toBe('db2')
    expect(world.onDisk().writers).toBeUndefined()
  })

  it('gives way to another one that a person names', async () => {
    const world = await moved()
    world.manager().editMap('admin', () => ({ map: rolesTo('db3'), changed: true }))
    // What the map names is a replica of the one that is written.
    expect(world.writer().datasource).toBe('db2')
    expect(world.onDisk().writers).toMatchObject([{ name: 'db2', mapped: 'db3 10.0.0.3 3306' }])
    await world.see('db2', follows('db2', 'db3'))
    await world.see('db3', writes('db3'))
    expect(world.writer().datasource).toBe('db3')
    expect(world.onDisk().writers).toBeUndefined()
  })

  it('is fenced, too, where the host of the former one comes back', async () => {
    const world = managed()
    await world.agree()
    world.restart()
    await world.see('db1', writes('db1'))
    expect(world.writer().datasource).toBeNull()
    await world.see('db2', writes('db2'))
    await world.see('db3', follows('db3', 'db2'))
    expect(world.writer().datasource).toBe('db2')
    expect(world.onDisk()).toMatchObject({
      writers: [{ name: 'db2' }],
      marks: [{ name: 'db1', state: 'FAILED', by: 'manager' }],
    })
  })

  it('ends with the data source', async () => {
    const world = await moved()
    const without = (map: ServicesMap): ServicesMap => ({
      services: map.services.map((it) => ({
        ...it,
        datasources: it.datasources.filter(({ name }) => name !== 'db2'),
      })),
    })
    world.manager().editMap('admin', (map) => ({ map: without(map), changed: true }))
    expect(world.writer()).toMatchObject({ datasource: null, reason: expect.stringContaining('db1') })
  })
})

type Found = 'writes' | 'idle' | 'refusing' | 'locked' | `follows ${Name}`
type Step =
  | { readonly kind: 'check'; readonly name: Name; readonly found: Found; readonly times: number }
  | { readonly kind: 'operation'; readonly name: Name; readonly operation: DataSourceOperation }
  | { readonly kind: 'policy'; readonly policy: (typeof policies)[number] }
  | { readonly kind: 'map'; readonly primary: Name }
  | { readonly kind: 'promote'; readonly name: Name }
  | { readonly kind: 'restart' }
  | { readonly kind: 'full disk'; readonly is: boolean }

const found = fc.constantFrom<Found>(
  'writes',
  'idle',
  'refusing',
  'locked',
  'follows db1',
  'follows db2',
  'follows db3',
)
const anyName = fc.constantFrom(...names)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('check' as const),
      name: anyName,
      found,
      times: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('promote' as const), name: anyName }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('operation' as const),
      name: anyName,
      operation: fc.constantFrom<DataSourceOperation>('offline', 'online', 'shun', 'welcome', 'recover'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('policy' as const), policy: fc.constantFrom(...policies) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('map' as const), primary: anyName }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' } as const) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('full disk' as const), is: fc.boolean() }) },
)

const sees = (name: Name, it: Found): Observation => {
  if (it === 'writes') return writes(name)
  if (it === 'idle' || it === `follows ${name}`) return idle(name)
  if (it === 'refusing') return refusing
  if (it === 'locked') return lockedOut
  return follows(name, it.slice('follows '.length) as Name)
}

describe('one writer or none', () => {
  it('holds whatever servers, people, restarts and a full disk do', async () => {
    const seen = { written: 0, contested: 0, adopted: 0, followedBack: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 30 }),
        fc.constantFrom<OutsideChange>('follow', 'hold'),
        async (all, onOutsideChange) => {
          const world = managed({ onOutsideChange })
          /** Servers as they are, whether somebody looks or not. */
          const real = new Map<Name, Found>([
            ['db1', 'writes'],
            ['db2', 'follows db1'],
            ['db3', 'follows db1'],
          ])
          for (const [name, it] of real) world.set(name, sees(name, it))
          /** The last result of each server since the start of the manager. */
          const last = new Map<Name, Found>()
          const check = async (name: Name, it: Found, times = 1): Promise<void> => {
            real.set(name, it)
            last.set(name, it)
            await world.see(name, sees(name, it), times)
            verify()
          }
          let before: string | null = null
          function verify(): void {
            const { datasource, reason } = world.writer()
            const claimants = names.filter((it) => {
              const state = world.state(it)
              return last.get(it) === 'writes' && state !== 'SHUNNED' && state !== 'OFFLINE'
            })
            const candidates = claimants.filter((it) => world.state(it) !== 'FAILED')
            const context = [datasource, Object.fromEntries(last), names.map(world.state)]
            expect([...context, (datasource === null) === (reason !== null)]).toEqual([...context, true])
            if (datasource === null) {
              if (candidates.length > 1) seen.contested += 1
              return
            }
            seen.written += 1
            const name = datasource as Name
            // Never two that could be written, and never another one than the single candidate.
            expect([...context, candidates.filter((it) => it !== name)]).toEqual([...context, []])
            // Never one that is out or failed.
            expect([...context, world.state(name)]).toEqual([...context, 'ONLINE'])
            // Never one that takes no writes, or of which nothing is known.
            expect([
              ...context,
              ['writes', 'refusing', 'locked'].includes(last.get(name) ?? 'unread'),
            ]).toEqual([...context, true])
            if (before !== null && before !== name) {
              if (world.onDisk().writers) seen.adopted += 1
              else seen.followedBack += 1
            }
            before = name
          }
          for (const it of all) {
            switch (it.kind) {
              case 'check':
                await check(it.name, it.found, it.times)
                break
              case 'promote':
                // As people do: the others follow it, in any order of checks.
                for (const name of names) {
                  if (name !== it.name) await check(name, `follows ${it.name}`)
                }
                await check(it.name, 'writes')
                break
              case 'operation': {
                const asked = world.asked()
                try {
                  await world.operate(it.operation, it.name)
                } catch (error) {
                  if (!(error instanceof ProblemError)) throw error
                }
                // What brings a data source online looks at it first.
                const server = real.get(it.name)
                if (server !== undefined && world.asked() > asked) last.set(it.name, server)
                break
              }
              case 'policy':
              case 'map':
                try {
                  if (it.kind === 'policy') world.manager().setPolicy('alpha', it.policy)
                  else world.manager().editMap('admin', () => ({ map: rolesTo(it.primary), changed: true }))
                } catch (error) {
                  if (!(error instanceof ProblemError)) throw error
                }
                break
              case 'restart':
                world.full(false)
                world.restart()
                last.clear()
                before = null
                break
              case 'full disk':
                world.full(it.is)
            }
            verify()
          }
        },
      ),
      { numRuns: 400 },
    )
    // It would say little of what never happened.
    for (const [what, count] of Object.entries(seen)) expect([what, count > 20]).toEqual([what, true])
  })
})
