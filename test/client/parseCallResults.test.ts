import { describe, expect, it } from 'vitest'
import { parseCallResults } from '../../src/client/parseCallResults.ts'

const read = (...results: readonly unknown[]) => parseCallResults(JSON.stringify(results))

describe('the results of calls on a host', () => {
  it('are read as muster-api call prints them', () => {
    const results = [
      { id: 'a', status: 200, body: { x: [1] }, certificate: 'AB:CD', certificates: ['PEM'] },
      { id: 'b', error: { code: 'refused', message: 'nothing listens' }, certificates: [] },
      { id: 'c', error: { code: 'ended', message: 'it ended' } },
    ]
    expect(read(...results)).toEqual(results)
    expect(read()).toEqual([])
  })

  it('keep the words of a failure that a later release knows', () => {
    expect(read({ id: 'a', error: { code: 'new-word', message: 'why' }, more: 1 })).toEqual([
      { id: 'a', error: { code: 'failed', message: 'why' } },
    ])
  })

  it.each([
    ['no JSON', 'junk not json'],
    ['no list', '{"id":"a","status":200}'],
    ['a result without an id', '[{"status":200}]'],
    ['a status in words', '[{"id":"a","status":"200"}]'],
    ['a status that is none', '[{"id":"a","status":1e9}]'],
    ['an error in words', '[{"id":"a","error":"refused"}]'],
    ['an error without words', '[{"id":"a","error":{"code":"refused"}}]'],
    ['certificates that are no texts', '[{"id":"a","status":200,"certificates":[1]}]'],
    ['nothing', 'null'],
  ])('are none where the host answers %s', (_what, text) => {
    expect(parseCallResults(text)).toBeUndefined()
  })
})
