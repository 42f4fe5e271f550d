import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { streamId, streamProtocol, streamTarget } from '../contracts/streams.ts'

/** Streams that wait for their other end, or are under way, at most. */
const most = 4

/** Milliseconds that one end waits for the other. */
const patience = 30_000

type Stream = { readonly to: string; ends: { source?: Duplex; target?: Duplex }; timer: NodeJS.Timeout }

/**
 * Passes bytes of root of this host on to one other host of the cluster, over the connections that both open: the Unix socket,
 * and the channel, where the host proves itself. Nothing is kept, and neither is faster than the other.
 */
export type StreamRelay = {
  /** Takes the end of this host. */
  fromHere(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Takes the end of another host; undefined for one that did not prove itself. */
  toHost(host: string | undefined, request: IncomingMessage, socket: Duplex): void
  close(): void
}

const accepted = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${streamProtocol}\r\n\r\n`

function refuse(
  socket: Duplex,
  status: '400 Bad Request' | '401 Unauthorized' | '404 Not Found' | '503 Service Unavailable',
): void {
  socket.on('error', () => undefined)
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** Returns the id that a request names; undefined for what is no stream. */
const idOf = ({ url = '', method, headers }: IncomingMessage): string | undefined =>
  method === 'GET' && headers.upgrade === streamProtocol ? streamId(url) : undefined

export function createStreamRelay(log: {
  readonly info: (facts: object, message: string) => void
}): StreamRelay {
  const streams = new Map<string, Stream>()

  function end(id: string): void {
    const it = streams.get(id)
    if (!it) return
    streams.delete(id)
    clearTimeout(it.timer)
    it.ends.source?.destroy()
    it.ends.target?.destroy()
  }

  async function pass(id: string, { to }: Stream, source: Duplex, target: Duplex): Promise<void> {
    let bytes = 0
    source.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    try {
      source.write(accepted)
      target.write(accepted)
      await pipeline(source, target)
      log.info({ to, bytes }, 'passed a stream on')
    } catch (error) {
      log.info({ to, bytes, reason: String(error) }, 'a stream broke off')
    } finally {
      end(id)
    }
  }

  function join(id: string, to: string, which: 'source' | 'target', socket: Duplex): void {
    const known = streams.get(id)
    if (known ? known.to !== to || known.ends[which] : streams.size >= most) {
      refuse(socket, known ? '404 Not Found' : '503 Service Unavailable')
      return
    }
    const it = known ?? { to, ends: {}, timer: setTimeout(() => end(id), patience) }
    it.ends[which] = socket
    streams.set(id, it)
    socket.on('error', () => undefined)
    socket.once('close', () => end(id))
    const { source, target } = it.ends
    if (!source || !target) return
    clearTimeout(it.timer)
    void pass(id, it, source, target)
  }

  return {
    fromHere: (request, socket, head) => {
      const id = idOf(request)
      const to = request.headers[streamTarget]
      if (id === undefined || typeof to !== 'string' || head.length > 0)
        return refuse(socket, '400 Bad Request')
      join(id, to, 'source', socket)
    },
    toHost: (host, request, socket) => {
      const id = idOf(request)
      if (id === undefined) return refuse(socket, '400 Bad Request')
      if (host === undefined) return refuse(socket, '401 Unauthorized')
      join(id, host, 'target', socket)
    },
    close: () => {
      for (const id of [...streams.keys()]) end(id)
    },
  }
}
