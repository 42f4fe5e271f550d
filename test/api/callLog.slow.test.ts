import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { callLogLimits, createCallLog } from '../../src/api/callLog.ts'
import { internalUserAgent } from '../../src/contracts/route.ts'
import { adminLogin, basic, testApi } from '../support/testApi.ts'

const unlock = { payloadType: 'StringPayload', payload: { value: 'nobody' } }

type Line = Readonly<Record<string, unknown>> & { readonly msg: string; readonly level: number }

function opened() {
  const lines: Line[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  return { lines, log: createCallLog(log) }
}

const call = (status: number, path = '/x') => ({
  ...{ requestId: 'r', route: 'unmatched', method: 'GET', status, path, peer: undefined, user: undefined },
  milliseconds: 1,
})
const stranger = (origin: string) => ({ isKnown: false, isRoutine: false, origin })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('the call log', () => {
  it('logs the first calls without a login in full, and counts the others by address per interval', () => {
    const { lines, log } = opened()
    for (let index = 0; index < 1000; index += 1) log.call(call(401), stranger('10.0.0.6'))
    log.call(call(429), stranger('10.0.0.7'))
    expect(lines).toHaveLength(callLogLimits.fullLines)
    vi.advanceTimersByTime(callLogLimits.interval)
    expect(lines).toHaveLength(callLogLimits.fullLines + 1)
    expect(lines.at(-1)).toMatchObject({
      msg: 'further calls without a login',
      calls: 981,
      from: { '10.0.0.6': 980, '10.0.0.7': 1 },
      statuses: { 401: 980, 429: 1 },
    })
    log.call(call(401), stranger('10.0.0.6'))
    expect(lines.at(-1)).toMatchObject({ msg: 'call', status: 401 })
    vi.advanceTimersByTime(callLogLimits.interval)
    expect(lines).toHaveLength(callLogLimits.fullLines + 2)
  })

  it('stays small for calls from a million addresses', () => {
    const { lines, log } = opened()
    for (let index = 0; index < 20_000; index += 1) {
      log.call(
        call(401, `/${'a'.repeat(15_000)}`),
        stranger(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`),
      )
    }
    log.end()
    const summary = lines.at(-1)
    expect(Object.keys(summary?.from ?? {})).toHaveLength(callLogLimits.origins + 1)
    expect(summary?.calls).toBe(20_000 - callLogLimits.fullLines)
    expect(JSON.stringify(lines).length).toBeLessThan(20_000)
  })

  it('logs every call of a known caller, and routine calls only at level debug', () => {
    const { lines, log } = opened()
    for (let index = 0; index < 100; index += 1) {
      log.call(call(200), { isKnown: true, isRoutine: false, origin: 'a' })
    }
    log.call(call(200), { isKnown: true, isRoutine: true, origin: 'a' })
    expect(lines.map(({ level }) => level)).toEqual([...Array(100).fill(30), 20])
  })

  it('cuts a long path and shows how much was cut', () => {
    const { lines, log } = opened()
    log.call(call(404, `/${'a'.repeat(9_999)}`), stranger('a'))
    expect(lines[0]?.path).toBe(`/${'a'.repeat(255)}… (9744 more)`)
  })

  it('counts closed connections and errors beyond the first', () => {
    const { lines, log } = opened()
    for (let index = 0; index < 500; index += 1) {
      log.closed('10.0.0.6')
      log.fault({ reason: 'r' }, 'not ready')
    }
    log.end()
    expect(lines).toHaveLength(callLogLimits.fullLines + 2)
    expect(lines.slice(-2)).toMatchObject([
      { level: 40, connections: 490, from: { '10.0.0.6': 490 } },
      { level: 50, faults: { 'not ready': 490 } },
    ])
  })
})

describe('the call log of a server', () => {
  const callLines = (lines: readonly string[]) =>
    lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'call')

  it('stays short for a thousand refused calls without a login', async () => {
    vi.useRealTimers()
    const api = await testApi()
    const url = `/${'a'.repeat(10_000)}`
    const remoteAddress = '10.0.0.6'
    for (let index = 0; index < 200; index += 1) {
      await api.call({
        url,
        remoteAddress,
        ...(index % 2 ? {} : { headers: { authorization: basic(`${index}`, 'x') } }),
      })
      await api.call({ url: '/api/v2/ping', remoteAddress })
    }
    expect(api.lines.join('').length).toBeLessThan(20 * 700)
  })

  it('has reads of components and verifications at level debug, and those of people at info', async () => {
    vi.useRealTimers()
    const socket = await testApi({ listener: 'socket' })
    await socket.call({ url: '/api/v2/users' })
    await socket.call({ url: '/api/v2/user/nobody' })
    await socket.call({ url: '/api/v2/users', headers: { authorization: adminLogin } })
    expect(callLines(socket.lines).map(({ level, status }) => [level, status])).toEqual([
      [20, 200],
      [30, 404],
      [30, 200],
    ])
    const tcp = await testApi()
    const headers = { authorization: adminLogin }
    await tcp.call({ url: '/api/v2/user/admin', headers })
    const program = { ...headers, 'user-agent': internalUserAgent }
    await tcp.call({ url: '/api/v2/user/admin', headers: program })
    await tcp.call({ url: '/api/v2/ping', headers: { 'user-agent': internalUserAgent } })
    await tcp.call({ url: '/api/v2/user/nobody', headers: program })
    await tcp.call({
      method: 'POST',
      url: '/api/v2/unlock?i-am-sure=true',
      headers: program,
      payload: unlock,
    })
    // Who only says that it is one is told as anybody else where it comes from elsewhere.
    await tcp.call({ url: '/api/v2/user/admin', headers: program, remoteAddress: '10.0.0.9' })
    expect(callLines(tcp.lines).map(({ level }) => level)).toEqual([30, 20, 20, 30, 30, 30])
  })
})
