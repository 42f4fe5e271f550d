import { describe, expect, it } from 'vitest'
import type { Channel } from '../../../src/components/databases/dialect.ts'
import { pendingErrorOf, stateOf } from '../../../src/components/replicator/channelState.ts'

const running: Channel = {
  name: '',
  source: { host: '10.0.0.11', port: 3306 },
  sourceId: 1,
  receiver: 'running',
  receiverError: null,
  applier: 'running',
  applierError: null,
  secondsBehind: 0,
  received: 'bin.000001:4',
  applied: 'bin.000001:4',
  sequence: 1,
  byGtid: true,
  receivedGtids: null,
  delay: 0,
  tls: null,
}
const duplicate = { number: 1062, message: 'Duplicate entry' }
const unreachable = { number: 2003, message: "Can't connect" }

describe('stateOf', () => {
  it.each([
    ['ONLINE', {}],
    ['GOING-ONLINE:SYNCHRONIZING', { receiver: 'connecting' }],
    ['OFFLINE:NORMAL', { receiver: 'stopped', applier: 'stopped' }],
    ['GOING-OFFLINE', { receiver: 'stopped' }],
    ['GOING-OFFLINE', { applier: 'stopped' }],
    ['OFFLINE:ERROR', { applier: 'stopped', applierError: duplicate }],
    ['OFFLINE:ERROR', { receiver: 'stopped', receiverError: { number: 1236, message: 'purged' } }],
    ['OFFLINE:ERROR', { receiver: 'connecting', receiverError: unreachable }],
    ['OFFLINE:ERROR', { receiver: 'stopped', applier: 'stopped', applierError: duplicate }],
    // An error that was overcome stands there still.
    ['ONLINE', { receiverError: unreachable }],
  ] as const)('is %s with %j', (state, more) => {
    expect(stateOf({ ...running, ...more })).toBe(state)
  })

  it('knows what is under way', () => {
    const stopped = { ...running, receiver: 'stopped', applier: 'stopped' } as const
    expect(stateOf(running, 'offline')).toBe('GOING-OFFLINE')
    expect(stateOf(stopped, 'offline')).toBe('OFFLINE:NORMAL')
    expect(stateOf(stopped, 'online')).toBe('GOING-ONLINE:SYNCHRONIZING')
    expect(stateOf(running, 'online')).toBe('ONLINE')
    expect(stateOf(stopped, 'reset')).toBe('OFFLINE:NORMAL')
  })
})

describe('pendingErrorOf', () => {
  it('says which thread has it', () => {
    const errors = [
      { applier: 'stopped', applierError: duplicate },
      { receiver: 'stopped', receiverError: unreachable },
      { receiver: 'connecting', receiverError: unreachable },
    ] as const
    expect(errors.map((it) => pendingErrorOf({ ...running, ...it })?.sentence)).toEqual([
      'The applier stopped with an error.',
      'The receiver stopped with an error.',
      'The receiver cannot connect to the primary, and tries again.',
    ])
    expect(pendingErrorOf(running)).toBeNull()
  })
})
