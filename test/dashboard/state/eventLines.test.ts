import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eventParser } from '../../../src/dashboard/state/eventLines.ts'

const text =
  'id: 7\ndata: {"a":1}\n\n: comment\n\ndata: one\r\ndata:two\r\n\r\nid: 8\n\nid: 9\ndata: x\n\ndata: unfinished'

describe('the parser of event streams', () => {
  it('returns events with their ids, and leaves out comments, empty events and the unfinished one', () => {
    expect(eventParser()(text)).toEqual([
      { id: '7', data: '{"a":1}' },
      { id: '7', data: 'one\ntwo' },
      { id: '9', data: 'x' },
    ])
  })

  it('returns the same events however the text is cut', () => {
    const whole = eventParser()(text)
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (cuts) => {
        const places = [0, ...cuts.sort((one, other) => one - other), text.length]
        const parse = eventParser()
        const events = places.slice(1).flatMap((end, index) => parse(text.slice(places[index], end)))
        expect(events).toEqual(whole)
      }),
    )
  })

  it('refuses an event without end', () => {
    const parse = eventParser()
    const part = 'x'.repeat(1024 * 1024)
    expect(() => {
      for (let count = 0; count < 40; count += 1) parse(part)
    }).toThrow('has no end')
  })
})
