import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProblemError } from '../../../src/api/problemError.ts'
import type { Observation } from '../../../src/components/manager/checkResult.ts'
import { createManager } from '../../../src/components/manager/createManager.ts'
import { openStateStore } from '../../../src/components/manager/managerState.ts'
import type { OutsideChange } from '../../../src/contracts/choices.ts'
import { switchSteps } from '../../../src/contracts/choices.ts'
import type { DataSourceOperation } from '../../../src/contracts/dataSourceOperations.ts'
import { policies, type SwitchStep } from '../../../src/contracts/managerPayloads.ts'
import type { ServicesMap } from '../../../src/contracts/servicesMap.ts'
import { follows, idle, managed, type Name, names, rolesTo, writes } from './managedService.ts'
import { installed, lockedOut, place, refusing } from './support.ts'

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
    expect(world.writer()).toMatchObject({ datasource: null, hold: true })
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
    expect(world.onDisk().writers).toEqual([])
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
    expect(world.onDisk().writers).toEqual([])
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
  | { readonly kind: 'hold'; readonly to: Name; readonly step: SwitchStep; readonly isNew: boolean }
  | { readonly kind: 'release'; readonly end: 'from' | 'to' | null }
  | {
      readonly kind: 'switch'
      readonly to: Name
      readonly stopsAfter: number
      readonly order: readonly Name[]
    }
  | { readonly kind: 'time'; readonly milliseconds: number }
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
/** A switch that ends after some of its steps; `order` is that of the checks after them. */
const switching: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('switch' as const),
  to: anyName,
  stopsAfter: fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 6, 6),
  order: fc.shuffledSubarray([...names]),
})
const passing: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('time' as const),
  milliseconds: fc.constantFrom(10, 5000, 20_000),
})
/** Half of all runs begin with servers in order and a switch. */
const opening: fc.Arbitrary<readonly Step[]> = fc.oneof(
  fc.constant([]),
  fc.tuple(fc.constant<Step>({ kind: 'promote', name: 'db1' }), switching, passing),
)
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
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('hold' as const),
      to: anyName,
      step: fc.constantFrom(...switchSteps),
      isNew: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('release' as const),
      end: fc.constantFrom('from' as const, 'to' as const, null),
    }),
  },
  { weight: 3, arbitrary: switching },
  { weight: 2, arbitrary: passing },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' } as const) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('full disk' as const), is: fc.boolean() }) },
)

/** The servers say after a switch who the writer is, a full disk loses that, and the target cannot be read any more. */
const settledUnrecorded: readonly Step[] = [
  { kind: 'promote', name: 'db1' },
  { kind: 'switch', to: 'db2', stopsAfter: 2, order: [] },
  { kind: 'full disk', is: true },
  { kind: 'promote', name: 'db1' },
  { kind: 'time', milliseconds: 20_000 },
  { kind: 'check', name: 'db2', found: 'locked', times: 1 },
]

const sees = (name: Name, it: Found): Observation => {
  if (it === 'writes') return writes(name)
  if (it === 'idle' || it === `follows ${name}`) return idle(name)
  if (it === 'refusing') return refusing
  if (it === 'locked') return lockedOut
  return follows(name, it.slice('follows '.length) as Name)
}

describe('one writer or none', () => {
  it('holds whatever servers, people, restarts and a full disk do', async () => {
    const seen = { written: 0, contested: 0, adopted: 0, followedBack: 0, held: 0, switched: 0, taken: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc
          .tuple(opening, fc.array(step, { minLength: 4, maxLength: 30 }))
          .map(([first, then]) => [...first, ...then]),
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
          let serial = 0
          let isNamed = false
          /** Id of the switch whose target was read when a writer was named after it; a full disk keeps that off the record. */
          let settled: string | null = null
          const becomes = (name: Name, it: Found): void => {
            real.set(name, it)
            world.set(name, sees(name, it))
          }
          /** What looks at all servers by itself. */
          const lookAll = (): void => {
            for (const [name, it] of real) last.set(name, it)
          }
          const hold = (to: Name, at: SwitchStep, isNew: boolean): boolean => {
            const present = world.manager().holdOf('alpha')
            if (isNew || !present) {
              serial += 1
              isNamed = false
            }
            const from = isNew || !present ? (world.writer().datasource ?? 'db1') : present.from
            const order = { service: 'alpha', milliseconds: 10_000, by: 'admin', isOwn: false, step: at }
            try {
              world.manager().hold({
                ...order,
                operation: 'switch',
                id: `${serial}`,
                from,
                to: isNew || !present ? to : present.to,
              })
              settled = null
              return true
            } catch (error) {
              if (!(error instanceof ProblemError)) throw error
              return false
            }
          }
          const release = async (end: 'from' | 'to' | null): Promise<void> => {
            const present = world.manager().holdOf('alpha')
            if (!present) return
            const primary = end === null ? null : present[end]
            try {
              await world.manager().release({ service: 'alpha', id: present.id, primary, isOwn: true })
              await world.pass(0)
            } catch (error) {
              if (!(error instanceof ProblemError)) throw error
            }
            lookAll()
          }
          function verify(): void {
            const { datasource, reason } = world.writer()
            const claimants = names.filter((it) => {
              const state = world.state(it)
              return last.get(it) === 'writes' && state !== 'SHUNNED' && state !== 'OFFLINE'
            })
            const candidates = claimants.filter((it) => world.state(it) !== 'FAILED')
            const hold = world.manager().holdOf('alpha')
            const context = [datasource, hold, Object.fromEntries(last), names.map(world.state)]
            expect([...context, (datasource === null) === (reason !== null)]).toEqual([...context, true])
            if (hold?.isInForce) {
              seen.held += 1
              expect([...context, datasource]).toEqual([...context, null])
            }
            if (datasource === null) {
              if (candidates.length > 1) seen.contested += 1
              return
            }
            seen.written += 1
            const name = datasource as Name
            const target = last.get(hold?.to as Name) ?? 'unread'
            const isTargetRead = !['unread', 'refusing', 'locked'].includes(target)
            if (hold && isTargetRead) settled = hold.id
            // Never two that could be written, and never another one than the single candidate.
            expect([...context, candidates.filter((it) => it !== name)]).toEqual([...context, []])
            // Never one that is out or failed.
            expect([...context, world.state(name)]).toEqual([...context, 'ONLINE'])
            // Never one that takes no writes, or of which nothing is known.
            expect([
              ...context,
              ['writes', 'refusing', 'locked'].includes(last.get(name) ?? 'unread'),
            ]).toEqual([...context, true])
            // Never the old primary of a switch that may have made another one the primary that nobody sees.
            const isBlind =
              hold?.from === name &&
              !hold.isDecided &&
              settled !== hold.id &&
              switchSteps.indexOf(hold.step) >= switchSteps.indexOf('promote') &&
              ['ONLINE', 'FAILED'].includes(world.state(hold.to as Name)) &&
              !isTargetRead
            if (isBlind && !isNamed) expect(context).toEqual('another writer')
            const [third] = names.filter((it) => it !== hold?.from && it !== hold?.to)
            if (hold?.to === name && third && last.get(third) === `follows ${hold.from as Name}`)
              seen.taken += 1
            if (before !== null && before !== name) {
              if (world.onDisk().writers.length > 0) seen.adopted += 1
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
                  else {
                    world.manager().editMap('admin', () => ({ map: rolesTo(it.primary), changed: true }))
                    isNamed = true
                  }
                } catch (error) {
                  if (!(error instanceof ProblemError)) throw error
                }
                break
              case 'hold':
                hold(it.to, it.step, it.isNew)
                break
              case 'release':
                await release(it.end)
                break
              case 'switch': {
                // Whoever makes it may end after each step, and a manager sees the servers in any order.
                const from = world.writer().datasource as Name | null
                if (from === null || from === it.to || !hold(it.to, 'hold', true)) break
                const third = names.find((name) => name !== from && name !== it.to) ?? 'db3'
                const steps: readonly (() => unknown)[] = [
                  () => becomes(from, 'idle'),
                  () => hold(it.to, 'promote', false),
                  () => becomes(it.to, 'writes'),
                  () => becomes(third, `follows ${it.to}`),
                  () => becomes(from, `follows ${it.to}`),
                  () => release('to'),
                ]
                for (const step of steps.slice(0, it.stopsAfter)) await step()
                for (const name of it.order) await check(name, real.get(name) ?? 'idle')
                if (it.stopsAfter >= steps.length) seen.switched += 1
                break
              }
              case 'time': {
                const wasHeld = world.manager().holdOf('alpha')?.isInForce
                await world.pass(it.milliseconds)
                if (wasHeld && !world.manager().holdOf('alpha')?.isInForce) lookAll()
                break
              }
              case 'restart':
                world.full(false)
                world.restart()
                last.clear()
                before = null
                settled = null
                break
              case 'full disk':
                world.full(it.is)
            }
            verify()
          }
        },
      ),
      { numRuns: 400, examples: [[[...settledUnrecorded], 'follow']] },
    )
    // It would say little of what never happened.
    for (const [what, count] of Object.entries(seen)) expect([what, count > 0]).toEqual([what, true])
  })
})
