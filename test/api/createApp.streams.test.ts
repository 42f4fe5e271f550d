import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ComponentApi, serve } from '../../src/api/serve.ts'
import type { EventStream, Events } from '../../src/base/eventStreams.ts'
import { hostRoutes } from '../../src/contracts/hostRoutes.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { settingsIn, start } from '../support/testServer.ts'

/** A server with one stream, on its socket. */
async function streaming(events: Events = () => undefined) {
  const lines: { level: number; msg: string; route?: string }[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const api: ComponentApi = {
    component: 'manager',
    served: [],
    peers: [serve(hostRoutes.routing, () => events)],
  }
  const settings = settingsIn(temporaryFolder(), { listen: null })
  const server = await start(settings, log, { api })
  const open = async (method = 'GET', headers = {}): Promise<IncomingMessage> => {
    const call = request({
      socketPath: settings.socket,
      path: '/muster/routing',
      method,
      headers,
      agent: false,
    })
    onTestFinished(() => void call.destroy())
    call.on('error', () => undefined)
    call.end()
    const [answer] = await once(call, 'response')
    answer.on('error', () => undefined)
    return answer
  }
  return { server, settings, open, lines }
}

/** What a response has sent so far. */
function received(answer: IncomingMessage): () => string {
  let text = ''
  answer.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  return () => text
}

const ended = (answer: IncomingMessage): Promise<unknown> =>
  answer.readableEnded || answer.destroyed
    ? Promise.resolve()
    : new Promise<void>((resolve) => answer.once('close', () => resolve()))

describe('a stream of events', () => {
  it('sends its headers at once and each event as it comes, a line break as two lines of data', async () => {
    let opened: EventStream | undefined
    const { open } = await streaming((stream) => {
      opened = stream
    })
    const answer = await open()
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    expect(answer.headers['content-length']).toBeUndefined()
    const text = received(answer)
    opened?.send('one')
    await eventually(() => expect(text()).toBe('data: one\n\n'))
    opened?.send('two\nlines')
    await eventually(() => expect(text()).toBe('data: one\n\ndata: two\ndata: lines\n\n'))
  })

  it('tells its call when the caller is gone, and takes nothing more', async () => {
    let isGone = false
    let opened: EventStream | undefined
    const { open } = await streaming((stream) => {
      opened = stream
      stream.onEnd(() => {
        isGone = true
      })
    })
    const answer = await open()
    expect(isGone).toBe(false)
    answer.destroy()
    await eventually(() => expect(isGone).toBe(true))
    opened?.send('late')
    let isTold = false
    opened?.onEnd(() => {
      isTold = true
    })
    expect(isTold).toBe(true)
  })

  it('ends at once when the server stops, also for a caller that does not read', {
    timeout: 8000,
  }, async () => {
    const { open, server, settings } = await streaming((stream) => {
      for (let round = 0; round < 100; round += 1) stream.send('x'.repeat(100_000))
    })
    const deaf = connect(settings.socket)
    onTestFinished(() => void deaf.destroy())
    deaf.write('GET /muster/routing HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await once(deaf, 'readable')
    const answer = await open()
    answer.resume()
    const stopped = server.stop()
    await ended(answer)
    await stopped
  })

  it('cuts off a caller that does not read, and keeps no more for it than its bound and one event', async () => {
    let opened: EventStream | undefined
    let isGone = false
    const { settings } = await streaming((stream) => {
      opened = stream
      stream.onEnd(() => {
        isGone = true
      })
    })
    const deaf = connect(settings.socket)
    onTestFinished(() => void deaf.destroy())
    deaf.write('GET /muster/routing HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await eventually(() => expect(opened).toBeDefined())
    let sent = 0
    while (!isGone && sent < 1000) {
      opened?.send('x'.repeat(100_000))
      sent += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(isGone).toBe(true)
    expect(sent).toBeLessThan(20)
  })

  it('makes room for a further one by the oldest of the caller that has most', async () => {
    const { open } = await streaming()
    const answers: IncomingMessage[] = []
    for (let count = 0; count < 32; count += 1) {
      const answer = await open()
      answer.resume()
      answers.push(answer)
    }
    expect(answers[0]?.destroyed).toBe(false)
    const further = await open()
    expect(further.statusCode).toBe(200)
    if (answers[0]) await ended(answers[0])
    expect(answers.filter(({ destroyed }) => destroyed)).toHaveLength(1)
  })

  it('answers HEAD with its headers alone, and refuses a caller that accepts JSON only', async () => {
    const { open } = await streaming((stream) => stream.send('never'))
    const head = await open('HEAD')
    const text = received(head)
    await ended(head)
    expect([head.statusCode, text()]).toEqual([200, ''])
    const wrong = await open('GET', { accept: 'application/json' })
    wrong.resume()
    expect(wrong.statusCode).toBe(406)
  })

  it('writes one line at debug when it opens, and none for its events', async () => {
    let opened: EventStream | undefined
    const { open, lines } = await streaming((stream) => {
      opened = stream
    })
    const before = lines.length
    const text = received(await open())
    for (let count = 0; count < 50; count += 1) opened?.send(`event ${count}`)
    await eventually(() => expect(text()).toContain('event 49'))
    expect(lines.slice(before)).toMatchObject([{ level: 20, msg: 'call', route: '/muster/routing' }])
  })
})
