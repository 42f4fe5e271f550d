import type { ServerResponse } from 'node:http'

/** Response that stays open and carries events to its caller. */
export type EventStream = {
  /** Sends an event; a caller that does not read is cut off instead. Does nothing after the end. */
  send(data: string): void
  /** The same with events as `eventBytes` writes them, which several streams share. */
  sendBytes(events: Buffer): void
  /** Ends the stream after what was sent; a caller that does not read that within a second is cut off. */
  end(): void
  /** Calls back once, when the caller is gone or the stream was ended. */
  onEnd(work: () => void): void
}

/** Writes an event as streams carry it (HTML standard, section 9.2). A line break in its data would end the field. */
export const eventBytes = ({ data, id }: { readonly data: string; readonly id?: string }): Buffer =>
  Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}${data.replace(/^/gm, 'data: ')}\n\n`)

/** Answer of a call with the response kind `events`: begins to send them. */
export type Events = (stream: EventStream) => void

/** Bounds of the streams of one listener. */
export type EventStreamLimits = {
  /** Streams of a call at once. */
  readonly streams: number
  /** Milliseconds between comments, which show both ends that the other is there. */
  readonly comment: number
  /** Bytes that may wait for a caller before the next event. */
  readonly waiting: number
}

export const defaultEventStreamLimits: EventStreamLimits = {
  streams: 32,
  comment: 5000,
  waiting: 256 * 1024,
}

/** Milliseconds in which the caller of an ended stream may read what was sent. */
const lastRead = 1000

/** A stream and whom it is for. */
type OpenStream = {
  /** Path of the call. */
  readonly path: string
  readonly owner: string
  readonly response: ServerResponse
  /** Resolves to false once its caller may not open it any more; then it ends. */
  readonly isAllowed: () => Promise<boolean>
}

/** Streams of one listener. */
export type EventStreams = {
  /**
   * Makes room for a stream: where all of its call are taken, the oldest of the caller that has most is cut off. Throws
   * a `StreamsFullError` where no caller has two.
   */
  admit(stream: Pick<OpenStream, 'path' | 'owner'>): void
  /** Turns a response, whose headers were written, into a stream. */
  open(stream: OpenStream, events: Events): void
  /** Ends the streams of some owners. */
  endThoseOf(isOwner: (owner: string) => boolean): void
  /** Ends all streams, and each that is opened from now on. */
  close(): void
}

/** All streams are taken, and nobody has two. */
export class StreamsFullError extends Error {
  constructor(most: number) {
    super(`${most} streams are open, which is the most of this server. Try again later.`)
    this.name = 'StreamsFullError'
  }
}

/** Keeps the open streams of one listener within bounds. */
export function createEventStreams(limits: EventStreamLimits): EventStreams {
  /** The oldest first. */
  const all = new Set<OpenStream>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const remove = (stream: OpenStream): void => {
    all.delete(stream)
    if (all.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  /** Takes nothing more for a caller that has not read what came before: its memory here is bounded. */
  function write({ response }: OpenStream, text: string | Buffer): void {
    if (response.writableEnded || response.destroyed) return
    if (response.writableLength > limits.waiting) response.destroy()
    else response.write(text)
  }

  /** Users may have changed since; and who cannot be looked up has no rights. */
  async function check(stream: OpenStream): Promise<void> {
    const isAllowed = await stream.isAllowed().catch(() => false)
    if (!isAllowed) end([stream])
  }

  const comment = (): void => {
    for (const stream of all) {
      write(stream, ':\n\n')
      void check(stream)
    }
  }

  function admit({ path, owner }: Pick<OpenStream, 'path' | 'owner'>): void {
    const open = [...all].filter((stream) => stream.path === path)
    if (open.length < limits.streams) return
    const counts = new Map([[owner, 1]])
    for (const stream of open) counts.set(stream.owner, (counts.get(stream.owner) ?? 0) + 1)
    const [most, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))
    const oldest = open.find((stream) => stream.owner === most)
    if (count < 2 || !oldest) throw new StreamsFullError(limits.streams)
    remove(oldest)
    oldest.response.destroy()
  }

  function end(streams: readonly OpenStream[]): void {
    for (const stream of streams) {
      remove(stream)
      // One that does not read would keep a stopping server waiting.
      if (stream.response.writableLength > 0) stream.response.destroy()
      else stream.response.end()
    }
  }

  return {
    admit,
    open: (stream, events) => {
      const { response } = stream
      if (isClosed) return void response.end()
      all.add(stream)
      timer ??= setInterval(comment, limits.comment).unref()
      response.on('error', () => undefined)
      response.once('close', () => remove(stream))
      response.flushHeaders()
      events({
        send: (data) => write(stream, eventBytes({ data })),
        sendBytes: (bytes) => write(stream, bytes),
        end: () => {
          remove(stream)
          response.end()
          setTimeout(() => response.destroy(), lastRead).unref()
        },
        onEnd: (work) => {
          if (response.destroyed) work()
          else response.once('close', work)
        },
      })
    },
    endThoseOf: (isOwner) => end([...all].filter(({ owner }) => isOwner(owner))),
    close: () => {
      isClosed = true
      end([...all])
    },
  }
}
