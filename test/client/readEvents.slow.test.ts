import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEventParser, type defaultEventLimits, readEvents } from '../../src/client/readEvents.ts'
import { eventually } from '../support/eventually.ts'
import { servePlain } from '../support/loopbackServer.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const limits = { event: 1000, rate: 1000, burst: 100_000, perEvent: 100 }

/** A parser and the events that it handed over; its time stands still. */
function parsing(more: Partial<typeof limits> = {}) {
  const events: string[] = []
  let time = 0
  const parser = createEventParser({
    limits: { ...limits, ...more },
    elapsed: () => time,
    onEvent: (data) => events.push(data),
  })
  const give = (text: string): number | undefined => {
    parser.take(Buffer.from(text))
    return parser.work()
  }
  const pass = (milliseconds: number): number | undefined => {
    time += milliseconds
    return parser.work()
  }
  return { events, give, pass }
}

describe('a stream of events', () => {
  it('is the same however its bytes arrive', () => {
    const text = fc.stringMatching(/^[\w äö€😀:]{0,20}$/u)
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), fc.array(fc.nat(9), { minLength: 1 }), (all, cuts) => {
        const { events, give } = parsing({ rate: 1e9, burst: 1e9 })
        const bytes = Buffer.from(all.map((it) => `: comment\r\nid: 7\ndata: ${it}\ndata:more\n\n`).join(''))
        for (let at = 0, round = 0; at < bytes.length; round += 1) {
          const size = 1 + (cuts[round % cuts.length] ?? 0)
          give(bytes.subarray(at, at + size).toString('latin1'))
          at += size
        }
        const ascii = all.every((it) => /^[\w :]*$/.test(it))
        if (ascii) expect(events).toEqual(all.map((it) => `${it}\nmore`))
        else expect(events).toHaveLength(all.length)
      }),
    )
  })

  it('has an end for a line and for an event that have none', () => {
    expect(parsing().give(`data: ${'x'.repeat(1000)}`)).toBeUndefined()
    expect(parsing().give('data: x\n'.repeat(200))).toBeUndefined()
    expect(parsing().give(':\n'.repeat(600))).toBe(0)
  })

  it('waits for a server that sends too much, and hands over the rest later', () => {
    const { events, give, pass } = parsing({ burst: 1500 })
    const wait = give('data: a\n\n'.repeat(20)) ?? 0
    expect(wait).toBeGreaterThan(0)
    const first = events.length
    expect(first).toBeLessThan(20)
    pass(wait + 500)
    expect(events.length).toBeGreaterThan(first)
    for (let round = 0; round < 50; round += 1) pass(1000)
    expect(events).toHaveLength(20)
  })

  it('counts many small pieces as the work that they are', () => {
    const { give } = parsing({ burst: 3000 })
    const waits = Array.from({ length: 10 }, () => give('x'))
    expect(waits.at(-1)).toBeGreaterThan(0)
  })
})

/** Reads from a server on a socket that answers as told. */
async function reading(
  answer: (response: ServerResponse) => void,
  more: Partial<typeof defaultEventLimits> = {},
) {
  const path = join(temporaryFolder(), 'api.sock')
  const server = await servePlain((_request, response) => answer(response), { path })
  onTestFinished(() => server.close())
  const events: string[] = []
  const stop = new AbortController()
  const ended = readEvents({
    endpoint: { kind: 'socket', path },
    path: '/events',
    signal: stop.signal,
    onEvent: (data) => events.push(data),
    limits: more,
  })
  return { events, ended, stop, server }
}

const open = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' })

describe('readEvents', () => {
  it('hands over each event, and says when the server ends the stream', async () => {
    const { events, ended } = await reading((response) => void open(response).end('data: a\n\ndata: b\n\n'))
    expect((await ended).message).toMatch(/ended the stream/)
    expect(events).toEqual(['a', 'b'])
  })

  it('gives up a server that is silent, and stays with one that comments', async () => {
    let response: ServerResponse | undefined
    const { ended, events } = await reading(
      (it) => {
        response = open(it)
        it.write('data: a\n\n')
      },
      { silence: 6000 },
    )
    await eventually(() => expect(events).toEqual(['a']))
    for (let count = 0; count < 6; count += 1) {
      // time: a fifth of the silence that is too long; together they are longer than it.
      await new Promise((resolve) => setTimeout(resolve, 1200))
      response?.write(':\n\n')
    }
    response?.write('data: b\n\n')
    await eventually(() => expect(events).toEqual(['a', 'b']))
    expect((await ended).message).toMatch(/sent nothing for 6 s/)
  })

  it('does not take comments for the first event', async () => {
    const { ended } = await reading(
      (response) => {
        open(response)
        const timer = setInterval(() => response.write(':\n\n'), 20)
        response.on('close', () => clearInterval(timer))
      },
      { opening: 200 },
    )
    expect((await ended).message).toMatch(/sent no event for 0.2 s/)
  })

  it('keeps little of what a flood sends, and leaves the process free', async () => {
    let sent = 0
    const { ended, events, stop } = await reading((response) => {
      open(response)
      const event = `data: ${'x'.repeat(1000)}\n\n`.repeat(60)
      const more = (): void => {
        while (!response.destroyed && response.write(event)) sent += event.length
      }
      response.on('drain', more)
      response.on('error', () => undefined)
      more()
    })
    const begun = performance.now()
    let longest = 0
    // time: the flood goes on for so long.
    while (performance.now() - begun < 1500) {
      const before = process.cpuUsage()
      // time: what the process does between two turns of a timer.
      await new Promise((resolve) => setTimeout(resolve, 10))
      const { user, system } = process.cpuUsage(before)
      longest = Math.max(longest, (user + system) / 1000)
    }
    stop.abort()
    await ended
    // time: a measure of what may have come, not a limit.
    const seconds = (performance.now() - begun) / 1000
    // 4 MiB at once and 1 MiB a second, of which each event takes 64 KiB: less than twice that, and what the system keeps.
    expect(events.length).toBeLessThan(27 * (4 + seconds))
    expect(sent).toBeLessThan((5 + 2 * (4 + seconds)) * 1024 * 1024)
    expect(longest).toBeLessThan(1000)
  })

  it('tells in the words of the server why it is refused, and at most so many', async () => {
    const problem = {
      status: 401,
      code: 'login-required',
      title: 'no',
      detail: 'No \u001b[2J way.',
      errors: [],
    }
    const refused = await reading((response) => {
      response.writeHead(401, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify(problem))
    })
    expect((await refused.ended).message).toMatch(/answers 401: No \\x1b\[2J way\.$/)
    const flood = await reading((response) => {
      response.writeHead(500)
      response.on('error', () => undefined)
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    })
    expect((await flood.ended).message).toMatch(/answers 500 and far too much/)
  })

  it('ends when it is told to, also before it has begun', async () => {
    const { ended, stop } = await reading((response) => void open(response).write('data: a\n\n'))
    stop.abort()
    expect((await ended).code).toBe('interrupted')
  })
})
