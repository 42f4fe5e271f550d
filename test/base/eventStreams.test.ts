import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isHostOwner, streamOwner } from '../../src/api/caller.ts'
import { createEventStreams, StreamsFullError } from '../../src/base/eventStreams.ts'

/** A response as far as streams use one. */
function fakeResponse() {
  const stream = new PassThrough()
  stream.resume()
  const text: string[] = []
  stream.on('data', (chunk: Buffer) => text.push(chunk.toString()))
  return {
    response: Object.assign(stream, { flushHeaders: () => undefined }) as unknown as ServerResponse,
    text,
  }
}

describe('the bound of the streams of a listener', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const path = '/muster/routing'
  const limits = { streams: 3, comment: 5000, waiting: 1000 }

  function opened(owners: readonly string[]) {
    const streams = createEventStreams(limits)
    const all = owners.map((owner) => {
      const fake = fakeResponse()
      streams.admit({ path, owner })
      streams.open(
        { path, owner, response: fake.response, isAllowed: () => Promise.resolve(true) },
        () => undefined,
      )
      return fake
    })
    return { streams, all, gone: () => all.map(({ response }) => response.destroyed) }
  }

  it('refuses a newcomer while no caller has two', () => {
    const { streams, gone } = opened(['host db1', 'host db2', 'host db3'])
    expect(() => streams.admit({ path, owner: 'host db4' })).toThrow(StreamsFullError)
    expect(gone()).toEqual([false, false, false])
  })

  it('takes the room from the caller that has most, whoever comes', () => {
    const { streams, gone } = opened(['host db1', 'host bad', 'host bad'])
    streams.admit({ path, owner: 'host db4' })
    expect(gone()).toEqual([false, true, false])
  })

  it('lets a caller that comes back displace only itself', () => {
    const { streams, gone } = opened(['host db1', 'host db2', 'host db3'])
    streams.admit({ path, owner: 'host db2' })
    expect(gone()).toEqual([false, true, false])
  })

  it('comments every five seconds, and no more once all streams are gone', async () => {
    const { all, streams } = opened(['host db1'])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(all[0]?.text.join('')).toBe(':\n\n:\n\n')
    // Other code of the process may have timers, too: nothing but the streams runs between these counts.
    const before = vi.getTimerCount()
    streams.close()
    expect(vi.getTimerCount()).toBe(before - 1)
  })

  it('ends the streams of hosts alone when they have to prove themselves anew', async () => {
    const { streams, all } = opened(['host db1', 'user admin'])
    streams.endThoseOf(isHostOwner)
    expect(all.map(({ response }) => response.writableEnded)).toEqual([true, false])
  })

  it('counts by user, host, socket or address', () => {
    expect(streamOwner({ kind: 'user', user: 'admin', access: 'full' }, '10.0.0.1')).toBe('user admin')
    expect(streamOwner({ kind: 'host', name: 'db1' }, '10.0.0.1')).toBe('host db1')
    expect(streamOwner({ kind: 'socket' }, 'gone')).toBe('socket')
    expect(streamOwner({ kind: 'anonymous' }, '10.0.0.1')).toBe('anybody at 10.0.0.1')
  })
})
