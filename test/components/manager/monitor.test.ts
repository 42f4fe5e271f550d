import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import type { ServerReading } from '../../../src/components/databases/probe.ts'
import {
  type Check,
  createMonitor,
  defaultCheckInterval,
  nextCheckDelay,
  type Server,
} from '../../../src/components/manager/monitor.ts'
import { idleReading } from './support.ts'

const reading: ServerReading = idleReading
const server: Server = { host: '10.0.0.1', port: 3306 }
const other: Server = { host: '10.0.0.2', port: 3306 }
const down = new DatabaseError({ code: 'unreachable', message: 'down' })
const limit = 20

/** A monitor whose waits end when the test says so. */
function monitored(
  read: (server: Server, number: number) => Promise<ServerReading>,
  more: { readonly isLocal?: (server: Server) => boolean } = {},
) {
  const waits: { readonly milliseconds: number; readonly end: () => void }[] = []
  const seen: Check[] = []
  const faults: unknown[] = []
  const closed: Server[] = []
  let reads = 0
  let running = 0
  let most = 0
  let clock = 0
  let lose = (): void => undefined
  const monitor = createMonitor({
    open: (it, onLost) => ({
      read: async () => {
        lose = onLost
        reads += 1
        running += 1
        most = Math.max(most, running)
        try {
          return await read(it, reads)
        } finally {
          running -= 1
        }
      },
      close: () => void closed.push(it),
    }),
    ...more,
    timing: {
      checkInterval: defaultCheckInterval,
      limit,
      now: () => {
        clock += 5
        return clock
      },
      wait: (milliseconds, signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          waits.push({ milliseconds, end: () => resolve(undefined) })
        }),
      random: () => 0.5,
    },
    onCheck: (it) => void seen.push(it),
    onError: (error) => void faults.push(error),
  })
  onTestFinished(() => monitor.close())
  /** Resolves when this many checks were seen and the wait after the last began. */
  const reached = (count: number) => expect.poll(() => waits.length, { interval: 1 }).toBe(count)
  return {
    monitor,
    waits,
    seen,
    faults,
    closed,
    reached,
    reads: () => reads,
    most: () => most,
    /** Has the connection of the last check end. */
    lose: () => lose(),
    pass: (milliseconds: number) => {
      clock += milliseconds
    },
    /** Ends the last wait. */
    next: async () => {
      const count = waits.length
      waits.at(-1)?.end()
      await reached(count + 1)
    },
  }
}

describe('the interval of checks', () => {
  const delay = (unanswered: number, more: { readonly random?: number; readonly isFailing?: boolean } = {}) =>
    nextCheckDelay({
      checkInterval: defaultCheckInterval,
      unanswered,
      isFailing: unanswered > 0,
      random: 0.5,
      ...more,
    })

  it('is short until a server that does not answer is fenced, and longer then, but not for long', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7, 100].map((it) => delay(it))).toEqual([
      1000, 200, 200, 2000, 2000, 2000, 2000, 2000, 2000,
    ])
  })

  it('is not shorter for a server that refuses its check, doubles, and has an end', () => {
    expect([1, 2, 3, 4, 5, 6].map((it) => delay(it, { isFailing: false }))).toEqual([
      1000, 1000, 2000, 4000, 5000, 5000,
    ])
  })

  it('is never the same for all managers', () => {
    const [least, most] = [{ random: 0 }, { random: 1 }]
    expect([delay(0, least), delay(0, most), delay(9, least), delay(9, most)]).toEqual([
      800, 1200, 1600, 2400,
    ])
  })

  it('lets a server that hangs be fenced within 5 seconds', () => {
    const limit = 1000
    const waits = [0, 1, 2].map((it) => delay(it, { random: 1 }))
    expect(waits.reduce((sum, it) => sum + it + limit, 0)).toBeLessThan(5000)
  })
})

describe('createMonitor', () => {
  it('checks at once, again after its interval, and says how long each took', async () => {
    const { monitor, seen, waits, reached, next } = monitored(async () => reading)
    monitor.follow([server])
    await reached(1)
    await next()
    expect(seen).toEqual(
      [1, 2].map(() => ({ server, observation: { kind: 'answered', reading }, milliseconds: 5 })),
    )
    expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([1000, 1000])
  })

  it('leaves a server alone for longer and longer, until it answers', async () => {
    let isDown = true
    const { monitor, waits, reached, next } = monitored(async () => {
      if (isDown) throw down
      return reading
    })
    monitor.follow([server])
    await reached(1)
    for (let made = 0; made < 5; made += 1) await next()
    isDown = false
    await next()
    expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([200, 200, 2000, 2000, 2000, 2000, 1000])
  })

  it('does not leave a server of its own host alone for longer than usual', async () => {
    const failing = async (): Promise<ServerReading> => Promise.reject(down)
    const { monitor, waits, reached, next } = monitored(failing, { isLocal: (it) => it === server })
    monitor.follow([server])
    await reached(1)
    for (let made = 0; made < 5; made += 1) await next()
    expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([200, 200, 1000, 1000, 1000, 1000])
  })

  it('checks a server at once whose connection was lost, and not before the shortest interval', async () => {
    const { monitor, seen, waits, reached, lose, pass } = monitored(async () => reading)
    monitor.follow([server])
    await reached(1)
    pass(500)
    lose()
    await reached(2)
    expect(seen).toHaveLength(2)
    lose()
    await reached(3)
    expect(seen).toHaveLength(2)
    waits.at(-1)?.end()
    await reached(4)
    expect(seen).toHaveLength(3)
    expect(waits.map(({ milliseconds }) => milliseconds)).toEqual([1000, 1000, 195, 1000])
  })

  it('checks nothing more whose connection was lost after its end', async () => {
    const { monitor, seen, reached, lose, pass } = monitored(async () => reading)
    monitor.follow([server])
    await reached(1)
    monitor.close()
    pass(500)
    lose()
    await setImmediate()
    expect(seen).toHaveLength(1)
  })

  it('asks a server that hangs once, however often its time is up, and hears it when it wakes up', async () => {
    let wake: (it: ServerReading) => void = () => undefined
    const { monitor, seen, reached, next, reads, most } = monitored((_server, number) =>
      number === 1
        ? new Promise((resolve) => {
            wake = resolve
          })
        : Promise.resolve(reading),
    )
    monitor.follow([server])
    await reached(1)
    await next()
    const asked = await Promise.all([monitor.check(server), monitor.check(server)])
    const late = {
      kind: 'failed',
      error: { code: 'timeout', message: 'The database 10.0.0.1:3306 did not answer within 0.02 s.' },
    }
    expect([...seen.map((it) => it.observation), ...asked]).toMatchObject([late, late, late, late])
    expect(reads()).toBe(1)
    wake(reading)
    await next()
    expect(seen.at(-1)?.observation.kind).toBe('answered')
    expect(most()).toBe(1)
  })

  it('makes a check outside the row that does not count, one at a time', async () => {
    const { monitor, seen, reached, most } = monitored(async () => {
      await setImmediate()
      return reading
    })
    monitor.follow([server])
    await reached(1)
    const all = await Promise.all([1, 2, 3].map(() => monitor.check(server)))
    expect(all.map((it) => it?.kind)).toEqual(['answered', 'answered', 'answered'])
    expect([seen.length, most()]).toEqual([1, 1])
    expect(await monitor.check(other)).toBeUndefined()
  })

  it('follows the map at once: what is new is checked, what is gone is let go, what stays is not disturbed', async () => {
    const { monitor, seen, reached, closed, waits } = monitored(async () => reading)
    monitor.follow([server])
    await reached(1)
    monitor.follow([server, other, other])
    await reached(2)
    expect(seen.map((it) => it.server)).toEqual([server, other])
    monitor.follow([other])
    expect(closed).toEqual([server])
    waits[0]?.end()
    await setImmediate()
    expect(seen).toHaveLength(2)
  })

  it('ends a wait and a check under way, and tells of neither', async () => {
    const { monitor, seen, reached, closed, reads } = monitored((it) =>
      it === server ? Promise.resolve(reading) : new Promise(() => undefined),
    )
    monitor.follow([server, other])
    await reached(1)
    monitor.close()
    expect(closed).toEqual([server, other])
    expect(await monitor.check(server)).toBeUndefined()
    // time: longer than its limit, after which nothing may come; a slow machine cannot make this fail.
    await new Promise((resolve) => setTimeout(resolve, 2 * limit))
    expect([seen.length, reads()]).toEqual([1, 2])
  })

  it('reports a bug and goes on', async () => {
    const { monitor, seen, faults, reached, next } = monitored(async (_server, number) => {
      if (number === 1) throw new TypeError('a bug')
      return reading
    })
    monitor.follow([server])
    await reached(1)
    await next()
    expect([String(faults), seen.length]).toEqual(['TypeError: a bug', 1])
  })
})
