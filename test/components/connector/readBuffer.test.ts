import type { Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createReadBuffer, type ReadBuffer } from '../../../src/components/connector/readBuffer.ts'

/** What is read is never twice the same. */
let reads = 0

/** What a socket calls much (its highWaterMark). */
const much = 16 * 1024

/** A client that takes at once, or keeps what it was given until it is drained, as the kernel has room. */
class Client {
  readonly readBuffer: ReadBuffer = createReadBuffer()
  readonly queue: { readonly given: Buffer; readonly copy: Buffer }[] = []
  isReading = true
  isSpoilt = false
  private takesAtOnce = true

  constructor() {
    this.readBuffer.to(this as unknown as Writable)
  }

  get writableLength(): number {
    return this.queue.reduce((sum, { given }) => sum + given.length, 0)
  }

  write(given: Buffer): boolean {
    const wasMuch = this.writableLength + given.length >= much
    if (!this.takesAtOnce || this.queue.length > 0) this.queue.push({ given, copy: Buffer.from(given) })
    return !wasMuch
  }

  /** As the kernel fills a buffer and calls back. */
  read(length: number, takesAtOnce: boolean): void {
    if (!this.isReading) return
    const buffer = this.readBuffer.buffer()
    const filled = Math.min(length, buffer.length)
    reads += 1
    buffer.fill(reads % 251, 0, filled)
    this.takesAtOnce = takesAtOnce
    this.isReading = this.readBuffer.callback(filled, buffer)
  }

  drain(): void {
    if (this.queue.some(({ given, copy }) => !given.equals(copy))) this.isSpoilt = true
    this.queue.length = 0
    this.isReading = true
  }
}

describe('the readBuffer', () => {
  it('never writes over what a client has not taken yet', () => {
    const step = fc.record({
      client: fc.integer({ min: 0, max: 2 }),
      act: fc.constantFrom('read', 'read', 'read', 'drain', 'end'),
      length: fc.constantFrom(1, 900, much, 20_000, 50_000, 262_144),
      takesAtOnce: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const clients = [new Client(), new Client(), new Client()]
        const all = [...clients]
        for (const { client: index, act, length, takesAtOnce } of steps) {
          const client = clients[index] ?? new Client()
          if (act === 'read') client.read(length, takesAtOnce)
          else if (act === 'drain') client.drain()
          else {
            client.readBuffer.end()
            const other = new Client()
            clients[index] = other
            all.push(other)
          }
        }
        for (const client of all) client.drain()
        expect(all.filter((it) => it.isSpoilt)).toHaveLength(0)
      }),
      { numRuns: 300 },
    )
  })

  it('gives nobody the buffer of a connection that ended with something still queued', () => {
    const [ended, other] = [new Client(), new Client()]
    ended.read(much, true)
    ended.read(262_144, false)
    ended.readBuffer.end()
    other.read(much, true)
    other.read(262_144, true)
    ended.drain()
    expect(ended.isSpoilt).toBe(false)
  })

  it('stops when more is queued than a client wants, and only then', () => {
    const client = new Client()
    client.read(much, true)
    expect(client.isReading).toBe(true)
    client.read(100, false)
    expect(client.isReading).toBe(true)
    client.read(much, false)
    expect(client.isReading).toBe(false)
    client.drain()
    client.read(1, true)
    expect(client.isReading).toBe(true)
  })

  it('needs a large buffer only while an answer is long', () => {
    const client = new Client()
    const sizes = [100, much, 200_000, 100].map((length) => {
      client.read(length, true)
      return client.readBuffer.buffer().length
    })
    expect(sizes).toEqual([much, 262_144, 262_144, much])
  })
})
