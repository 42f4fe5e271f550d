import { describe, expect, it } from 'vitest'
import { DatabaseError } from '../../../src/components/databases/databaseError.ts'
import { findingOf, type Observation, observe } from '../../../src/components/manager/checkResult.ts'
import { dataSourceRoles } from '../../../src/contracts/servicesMap.ts'
import { broken, channel, lockedOut, refusing, replicating, writing } from './support.ts'

const passed = { result: 'passed', reason: null }
const unreachable = { number: 2003, message: "error connecting to master 'repl@10.0.0.1:3306'" }

describe('what an observation means', () => {
  it.each(['replica', 'relay', 'standby', 'archive'] as const)('a %s replicates', (role) => {
    expect(findingOf(replicating(), role)).toEqual(passed)
    expect(findingOf(broken, role)).toEqual({
      result: 'failed',
      reason: "The applier is stopped. ERROR 1062: Duplicate entry '7' for key 'PRIMARY'.",
    })
    expect(findingOf(writing, role)).toEqual({
      result: 'failed',
      reason: `It is a ${role} by the services map, but does not replicate. Set up its replication.`,
    })
  })

  it.each(['primary', 'witness'] as const)('of a %s only an answer is wanted', (role) => {
    expect([findingOf(writing, role), findingOf(broken, role)]).toEqual([passed, passed])
  })

  it.each(dataSourceRoles)('a %s must be reached, and is not judged by our login', (role) => {
    expect(findingOf(refusing, role)).toMatchObject({ result: 'failed', reason: /nothing listens there/ })
    expect(findingOf(lockedOut, role)).toEqual({
      result: 'unable',
      reason:
        'It cannot be checked. The database 10.0.0.2:3306 said ERROR 1045: Access denied. ' +
        'Check monitor-user and monitor-password.',
    })
  })

  it('is no failure of a replica to be late, or to miss its primary', () => {
    expect(findingOf(replicating({ secondsBehind: 1e6 }), 'replica')).toEqual(passed)
    expect(findingOf(replicating({ receiver: 'connecting' }), 'replica')).toEqual(passed)
    const waiting = replicating({ receiver: 'connecting', receiverError: unreachable })
    expect(findingOf(waiting, 'replica')).toEqual({
      result: 'passed',
      reason:
        "The receiver cannot connect to the primary, and tries again. ERROR 2003: error connecting to master 'repl@10.0.0.1:3306'.",
    })
  })

  it('tells a stopped thread with and without an error, and of which channel', () => {
    expect(findingOf(replicating({ receiver: 'stopped' }), 'replica').reason).toBe('The receiver is stopped.')
    const fatal = { receiver: 'stopped', receiverError: { number: 1236, message: 'no such log.' } } as const
    expect(findingOf(replicating(fatal), 'replica').reason).toBe(
      'The receiver is stopped. ERROR 1236: no such log.',
    )
    const several: Observation = {
      kind: 'answered',
      reading: {
        channels: [
          channel,
          { ...channel, name: 'east', ...fatal },
          { ...channel, name: 'west', applier: 'stopped' },
        ],
        position: null,
      },
    }
    expect(findingOf(several, 'replica')).toEqual({
      result: 'failed',
      reason:
        'Channel east: The receiver is stopped. ERROR 1236: no such log. Channel west: The applier is stopped.',
    })
  })
})

describe('observe', () => {
  const kindOf = async (facts: { code: DatabaseError['code']; number?: number }) =>
    (await observe(Promise.reject(new DatabaseError({ message: 'no', ...facts })))).kind

  it.each([
    [{ code: 'unreachable' }, 'failed'],
    [{ code: 'timeout' }, 'failed'],
    [{ code: 'refused', number: 1053 }, 'failed'],
    [{ code: 'refused', number: 1129 }, 'unable'],
    [{ code: 'refused', number: 1040 }, 'unable'],
    [{ code: 'refused', number: 1045 }, 'unable'],
    [{ code: 'refused', number: 1227 }, 'unable'],
    [{ code: 'refused' }, 'unable'],
  ] as const)('calls %j %s', async (facts, kind) => {
    expect(await kindOf(facts)).toBe(kind)
  })

  it('hands on what is no failure of a database', async () => {
    await expect(observe(Promise.reject(new TypeError('a bug')))).rejects.toThrow('a bug')
  })
})
