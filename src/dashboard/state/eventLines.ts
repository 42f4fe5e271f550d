/** An event of a text/event-stream with data. */
type StreamEvent = { readonly id: string | null; readonly data: string }

/** Longest event that is read, in characters: a snapshot of thousands of hosts. */
const maximumLength = 32 * 1024 * 1024

/**
 * Returns a function that takes text as it arrives and returns the events that it completes (WHATWG HTML, section 9.2.6).
 * Comments, which keep the connection alive, are left out. Throws for an event without end.
 */
export function eventParser(): (text: string) => readonly StreamEvent[] {
  let rest = ''
  let id: string | null = null
  let data: string[] = []
  return (text) => {
    const events: StreamEvent[] = []
    // A snapshot comes in many pieces: it is split once, at its end.
    if (!text.includes('\n')) {
      rest += text
      if (rest.length > maximumLength) throw new Error('the event has no end')
      return events
    }
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maximumLength) throw new Error('the event has no end')
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
      if (line === '') {
        if (data.length > 0) events.push({ id, data: data.join('\n') })
        data = []
        continue
      }
      const colon = line.indexOf(':')
      const field = colon === -1 ? line : line.slice(0, colon)
      const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (field === 'data') data.push(value)
      if (field === 'id' && !value.includes('\0')) id = value
    }
    return events
  }
}
