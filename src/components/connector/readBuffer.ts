import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'

/** Opens a connection to a data source; what it sends goes to the read buffer. */
export type Dial = (place: { readonly host: string; readonly port: number }, buffer: ReadBuffer) => Socket

/** Receiver of the bytes that are read. */
type Sink = Pick<Writable, 'write' | 'writableLength'>

/** Buffer for all short answers of all databases: read one after the other, and copied at once. */
const shared = new Uint8Array(16 * 1024)

/** Bytes that a connection reads at once while an answer is long. */
const large = 256 * 1024

/** Buffers of connections whose long answer is over; this many are kept. */
const spare: Uint8Array[] = []
const mostSpare = 16

/**
 * Reads a database's connection (option `onread` of `net.connect`) without a new buffer for each read, as
 * streams make them, which is what costs most in a proxy of short answers. A connection has a large buffer of its
 * own only while it needs one.
 */
export type ReadBuffer = {
  /** Returns the buffer for the next bytes. */
  readonly buffer: () => Uint8Array
  /** Hands them on; false stops the reading. */
  readonly callback: (length: number, buffer: Uint8Array) => boolean
  /** Sets the client that receives all bytes, before any arrives. */
  readonly to: (client: Sink) => void
  /** Releases its buffer; nothing is read any more. */
  readonly end: () => void
}

export function createReadBuffer(): ReadBuffer {
  let client: Sink | undefined
  let own: Uint8Array | undefined
  let isLong = false

  function giveBack(): void {
    if (own && spare.length < mostSpare) spare.push(own)
    own = undefined
  }

  return {
    buffer: () => {
      if (!isLong) return shared
      own ??= spare.pop() ?? new Uint8Array(large)
      return own
    },
    callback: (length, buffer) => {
      if (!client) return false
      const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, length)
      const hasRoom = client.write(buffer === shared ? Buffer.from(bytes) : bytes)
      // The kernel mostly takes it at once: then nothing is queued, and the buffer is free again.
      const isQueued = client.writableLength > 0
      if (buffer === shared) isLong = length === shared.length
      else if (length < large / 8) {
        isLong = false
        if (isQueued) own = undefined
        else giveBack()
      } else if (isQueued && hasRoom) own = undefined
      return hasRoom || !isQueued
    },
    to: (taker) => {
      client = taker
    },
    end: () => {
      if (client && client.writableLength === 0) giveBack()
      own = undefined
      client = undefined
    },
  }
}
