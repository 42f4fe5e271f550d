import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEventLog, type EventLogLimits } from '../../src/base/eventLog.ts'
import type { EventStream } from '../../src/base/eventStreams.ts'
import { createEventParser } from '../../src/client/readEvents.ts'

const parserLimits = { event: 1e6, rate: 1e9, burst: 1e9, perEvent: 0 }

/** A caller that reads what it was sent, up to the byte at which its connection breaks. */
function caller() {
  const read: { data: string; id: string | undefined }[] = []
  let sent: Buffer[] = []
  let end = (): void => undefined
  const stream = (): EventStream => {
    sent = []
    return {
      send: () => undefined,
      sendBytes: (bytes) => sent.push(bytes),
      end: () => undefined,
      onEnd: (work) => {
        end = work
      },
    }
  }
  /** Reads what arrived before the connection broke; a part of 1 is all of it. */
  const disconnect = (part = 1): void => {
    end()
    const bytes = Buffer.concat(sent)
    const { take, work } = createEventParser({
      limits: parserLimits,
      elapsed: () => 0,
      onEvent: (data, id) => read.push({ data, id }),
    })
    take(bytes.subarray(0, Math.floor(bytes.length * part)))
    work()
  }
  return { stream, disconnect, read, lastId: () => read.at(-1)?.id }
}

function logging(limits?: EventLogLimits, epoch = 'e1') {
  const log = createEventLog({ epoch, ...(limits && { limits }) })
  let count = 0
  const append = (more = 1): void => {
    log.append(Array.from({ length: more }, (_, index) => `event ${count + index + 1}`))
    count += more
  }
  const follow = (who: ReturnType<typeof caller>, id: string | undefined): void =>
    log.follow(who.stream(), { id, snapshot: () => `snapshot ${count}` })
  const resumed = (id: string | undefined): readonly string[] => {
    const who = caller()
    follow(who, id)
    who.disconnect()
    return who.read.map(({ data }) => data)
  }
  return { log, append, follow, resumed }
}

describe('a log of events', () => {
  it('leaves no gap and sends nothing twice, wherever connections break', () => {
    const disconnect = fc.nat(100).map((percent) => ({ part: percent / 100 }))
    const step = fc.oneof(fc.integer({ min: 1, max: 9 }), disconnect)
    const limits = fc.record({
      events: fc.integer({ min: 0, max: 30 }),
      bytes: fc.integer({ min: 0, max: 900 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), limits, (steps, bounds) => {
        const { append, follow } = logging(bounds)
        const who = caller()
        follow(who, undefined)
        let total = 0
        for (const it of steps) {
          if (typeof it !== 'number') who.disconnect(it.part)
          const more = typeof it === 'number' ? it : 3
          append(more)
          total += more
          if (typeof it !== 'number') {
            follow(who, who.lastId())
          }
        }
        who.disconnect()
        let known = 0
        for (const { data, id } of who.read) {
          const [kind, number = ''] = data.split(' ')
          // A snapshot stands for all before it; an event is the next one.
          if (kind === 'event') expect(Number(number)).toBe(known + 1)
          else expect(Number(number)).toBeGreaterThanOrEqual(known)
          known = Number(number)
          expect(id).toBe(`e1-${number}`)
        }
        expect(known).toBe(total)
      }),
    )
  })

  it('goes on after the event of the id, without a snapshot', () => {
    const { append, resumed } = logging()
    append(5)
    expect(resumed('e1-3')).toEqual(['event 4', 'event 5'])
    expect(resumed('e1-5')).toEqual([])
    expect(resumed('e1-0')).toHaveLength(5)
  })

  it('sends a snapshot where an event after the id is not kept any more', () => {
    const { append, resumed } = logging({ events: 3, bytes: 1000 })
    append(5)
    expect(resumed('e1-2')).toEqual(['event 3', 'event 4', 'event 5'])
    expect(resumed('e1-1')).toEqual(['snapshot 5'])
  })

  it('keeps no more bytes than its bound', () => {
    const { append, resumed } = logging({ events: 1000, bytes: 60 })
    append(100)
    expect(resumed('e1-98')).toEqual(['event 99', 'event 100'])
    expect(resumed('e1-97')).toEqual(['snapshot 100'])
  })

  it.each([
    undefined,
    '',
    'e1',
    'e1-',
    'e1--1',
    'e1-+1',
    'e1-01',
    'e1-1e0',
    'e1-1 ',
    'e1-1, e1-2',
    'e1-99999999999999999999',
    'e1-6',
    'E1-1',
    'e2-1',
    `e1-${'1'.repeat(10_000)}`,
  ])('sends a snapshot for an id that is none of its own: %j', (id) => {
    const { append, resumed } = logging()
    append(5)
    expect(resumed(id)).toEqual(['snapshot 5'])
  })

  it('writes an event once for all streams, and forgets those that ended', () => {
    const { log, append, follow } = logging()
    const [one, other] = [caller(), caller()]
    const seen: Buffer[] = []
    for (const who of [one, other]) {
      const stream = who.stream()
      log.follow(
        { ...stream, sendBytes: (bytes) => void seen.push(bytes) },
        { id: 'e1-0', snapshot: () => 'none' },
      )
    }
    append()
    expect(seen).toHaveLength(2)
    expect(seen[0]).toBe(seen[1])
    one.disconnect()
    expect(log.streams()).toBe(1)
    other.disconnect()
    follow(one, undefined)
    expect(log.streams()).toBe(1)
  })
})
