import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProblemError } from '../../../src/api/problemError.ts'
import type { Observation } from '../../../src/components/manager/checkResult.ts'
import { createManager } from '../../../src/components/manager/createManager.ts'
import { openStateStore } from '../../../src/components/manager/managerState.ts'
import { operate } from '../../../src/components/manager/operate.ts'
import type { DataSourceOperation as Operation } from '../../../src/contracts/dataSourceOperations.ts'
import { type Policy, policies } from '../../../src/contracts/managerPayloads.ts'
import type { RecordedState } from '../../../src/contracts/servicesMap.ts'
import { broken, fakeMonitor, installed, lockedOut, place, refusing, replicating } from './support.ts'

type Found = 'good' | 'lagging' | 'refusing' | 'broken' | 'locked'
const observations: Readonly<Record<Found, Observation>> = {
  good: replicating(),
  lagging: replicating({ secondsBehind: 86_400 }),
  refusing,
  broken,
  locked: lockedOut,
}
const isGood = (found: Found): boolean => found === 'good' || found === 'lagging'
const isBad = (found: Found): boolean => found === 'refusing' || found === 'broken'

type Step =
  | { readonly kind: 'check'; readonly found: Found }
  | { readonly kind: 'policy'; readonly policy: Policy }
  | { readonly kind: 'operation'; readonly operation: Operation; readonly found: Found }
  | { readonly kind: 'restart' }
  | { readonly kind: 'full disk'; readonly step: Exclude<Step, { kind: 'full disk' | 'restart' }> }

/** contract.md, "Manager", in the plainest words: what happened since the state was entered, and rules about it. */
class Model {
  state: RecordedState = 'ONLINE'
  policy: Policy = 'AUTOMATIC'
  history: Found[] = []

  enter(state: RecordedState): void {
    if (state !== this.state) this.history = []
    this.state = state
  }

  last(count: number, fits: (found: Found) => boolean): boolean {
    return this.history.length >= count && this.history.slice(-count).every(fits)
  }

  check(found: Found, canWrite: boolean): void {
    this.history.push(found)
    if (!canWrite) return
    const fences = this.policy !== 'MAINTENANCE'
    const recovers = this.policy === 'AUTOMATIC'
    if (fences && this.state === 'ONLINE' && this.last(3, isBad)) this.enter('FAILED')
    else if (recovers && this.state === 'FAILED' && this.last(2, isGood)) this.enter('ONLINE')
    else if (recovers && this.state === 'OFFLINE' && this.last(5, isGood)) this.enter('ONLINE')
  }

  /** Whether the operation is carried out. */
  operation(operation: Operation, found: Found, canWrite: boolean): boolean {
    const before = this.state
    const goOnline = (from: RecordedState): boolean => {
      if (before === 'ONLINE') return true
      if (before !== from || !isGood(found) || !canWrite) return false
      this.enter('ONLINE')
      return true
    }
    const go = (to: RecordedState): boolean => {
      if (before !== to && !canWrite) return false
      this.enter(to)
      return true
    }
    const isOut = before === 'FAILED' || before === 'SHUNNED'
    switch (operation) {
      case 'online':
        return goOnline('OFFLINE')
      case 'welcome':
        return goOnline('SHUNNED')
      case 'offline':
        return !isOut && go('OFFLINE')
      case 'shun':
        return go('SHUNNED')
      case 'recover':
        return isOut ? go('OFFLINE') : true
    }
  }
}

const found = fc.constantFrom<Found>('good', 'lagging', 'refusing', 'broken', 'locked')
// Long runs of one result are what decides; mixed at random they would hardly ever come.
const checks = fc
  .tuple(found, fc.integer({ min: 1, max: 6 }))
  .map(([it, times]): Step[] => Array.from({ length: times }, () => ({ kind: 'check', found: it })))
const policy = fc.constantFrom(...policies).map((it) => ({ kind: 'policy', policy: it }) as const)
const operation = fc
  .record({
    operation: fc.constantFrom<Operation>('offline', 'online', 'shun', 'welcome', 'recover'),
    found,
  })
  .map((it) => ({ kind: 'operation', ...it }) as const)
const fullDisk = fc
  .oneof(
    policy,
    operation,
    found.map((it) => ({ kind: 'check', found: it }) as const),
  )
  .map((step): Step[] => [{ kind: 'full disk', step }])
const steps = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: checks },
      { weight: 4, arbitrary: operation.map((it): Step[] => [it]) },
      { weight: 1, arbitrary: policy.map((it): Step[] => [it]) },
      { weight: 1, arbitrary: fc.constant<Step[]>([{ kind: 'restart' }]) },
      { weight: 1, arbitrary: fullDisk },
    ),
    { maxLength: 25 },
  )
  .map((it) => it.flat())

const key = { service: 'alpha', name: 'db2' }

/** A manager whose disk is a variable. */
function managed() {
  let disk: string | undefined
  let isFull = false
  const file = {
    read: () => (disk === undefined ? undefined : JSON.parse(disk)),
    write: (value: unknown) => {
      if (isFull) throw new Error('full')
      disk = JSON.stringify(value)
    },
  }
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const monitor = fakeMonitor()
  const now = () => new Date('2025-03-10T10:00:00Z')
  const open = () =>
    createManager({
      installed,
      kept: openStateStore({ file, path: '/state', installed, now: now() }),
      monitor: monitor.open,
      now,
      log: quiet,
    })
  let manager = open()
  return {
    monitor,
    manager: () => manager,
    restart: () => {
      manager = open()
    },
    full: (is: boolean) => {
      isFull = is
    },
    onDisk: () => JSON.parse(disk ?? '{}'),
  }
}

type Managed = ReturnType<typeof managed>

async function take(step: Step, world: Managed, model: Model, canWrite = true): Promise<void> {
  const { monitor, manager } = world
  switch (step.kind) {
    case 'check':
      monitor.set(place('db2'), observations[step.found])
      await monitor.tick(place('db2'))
      return model.check(step.found, canWrite)
    case 'policy': {
      const work = () => manager().setPolicy('alpha', step.policy)
      if (canWrite || model.policy === step.policy) {
        expect(work()).toBe(model.policy !== step.policy)
        model.policy = step.policy
      } else expect(work).toThrow(ProblemError)
      return undefined
    }
    case 'operation': {
      monitor.set(place('db2'), observations[step.found])
      const order = { manager: manager(), operation: step.operation, by: 'admin', audit: () => undefined }
      const before = model.state
      const end = await operate(order, key).catch((error) => {
        if (error instanceof ProblemError) return 'refused'
        throw error
      })
      const done = model.operation(step.operation, step.found, canWrite)
      expect(end).toBe(done ? before !== model.state : 'refused')
      return undefined
    }
    case 'restart':
      world.restart()
      model.history = []
      return undefined
    case 'full disk':
      world.full(true)
      await take(step.step, world, model, false)
      world.full(false)
      return undefined
  }
}

describe('the states of a data source', () => {
  it('follow the contract, whatever checks, people, restarts and a full disk do', async () => {
    const entered = new Set<string>()
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const world = managed()
        const model = new Model()
        for (const step of all) {
          const before = model.state
          await take(step, world, model)
          const { state } = world.manager().view(key)
          expect([state, world.manager().policy('alpha')]).toEqual([model.state, model.policy])
          const mark = world.onDisk().marks.find(({ name }: { name: string }) => name === 'db2')
          expect(mark?.state ?? 'ONLINE').toBe(model.state)
          if (before !== state) entered.add(`${step.kind}: ${before} to ${state}`)
        }
      }),
      { numRuns: 400 },
    )
    // It would say little of what never happened.
    expect([...entered]).toEqual(
      expect.arrayContaining([
        'check: ONLINE to FAILED',
        'check: FAILED to ONLINE',
        'check: OFFLINE to ONLINE',
        'operation: SHUNNED to ONLINE',
        'operation: FAILED to OFFLINE',
      ]),
    )
  })
})
