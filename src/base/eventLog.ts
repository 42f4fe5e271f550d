import { type EventStream, eventBytes } from './eventStreams.ts'

/** Bounds of the past events that a log keeps. */
export type EventLogLimits = {
  readonly events: number
  readonly bytes: number
}

const defaultEventLogLimits: EventLogLimits = { events: 1000, bytes: 256 * 1024 }

/** Events with ids. Who comes back gets what it missed, as long as that is kept. */
export type EventLog = {
  /** Sends events to all streams, each written once for all of them. */
  append(events: readonly string[]): void
  /**
   * Sends a stream what came after the event of an id, else the snapshot, which stands for all events so far; from then
   * on each event.
   */
  follow(
    stream: EventStream,
    from: { readonly id: string | undefined; readonly snapshot: () => string },
  ): void
  /** Number of streams. */
  streams(): number
}

type PastEvent = { readonly number: number; readonly bytes: Buffer }

/** Creates a log. No other log, of this process or of another, may have the same epoch. */
export function createEventLog(options: {
  /** Letters and digits. */
  readonly epoch: string
  readonly limits?: EventLogLimits
}): EventLog {
  const { epoch, limits = defaultEventLogLimits } = options
  const streams = new Set<EventStream>()
  const idOf = (number: number): string => `${epoch}-${number}`
  /** One without gaps, the oldest first. */
  let past: PastEvent[] = []
  let kept = 0
  let last = 0

  /** Returns the events after an id; undefined for any other text, and where some of them are not kept any more. */
  function since(id: string | undefined): readonly PastEvent[] | undefined {
    const written = id?.startsWith(`${epoch}-`) ? id.slice(epoch.length + 1) : ''
    const number = /^(0|[1-9]\d{0,15})$/.test(written) ? Number(written) : undefined
    if (number === undefined || number > last || number < last - past.length) return undefined
    return past.slice(past.length - (last - number))
  }

  function keep(events: readonly PastEvent[]): void {
    past.push(...events)
    for (const { bytes } of events) kept += bytes.length
    let dropped = 0
    while (past.length - dropped > limits.events || kept > limits.bytes) {
      kept -= past[dropped]?.bytes.length ?? 0
      dropped += 1
    }
    if (dropped > 0) past = past.slice(dropped)
  }

  return {
    append: (events) => {
      if (events.length === 0) return
      const added = events.map((data): PastEvent => {
        last += 1
        return { number: last, bytes: eventBytes({ data, id: idOf(last) }) }
      })
      keep(added)
      const bytes = joined(added)
      for (const stream of streams) stream.sendBytes(bytes)
    },
    follow: (stream, { id, snapshot }) => {
      const missed = since(id)
      if (missed === undefined) stream.sendBytes(eventBytes({ data: snapshot(), id: idOf(last) }))
      else if (missed.length > 0) stream.sendBytes(joined(missed))
      streams.add(stream)
      stream.onEnd(() => streams.delete(stream))
    },
    streams: () => streams.size,
  }
}

const joined = (events: readonly PastEvent[]): Buffer =>
  events.length === 1 && events[0] ? events[0].bytes : Buffer.concat(events.map(({ bytes }) => bytes))
