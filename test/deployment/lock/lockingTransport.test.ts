import { describe, expect, it } from 'vitest'
import {
  lockingTransport,
  type RetryTiming,
  retryWhileHeld,
} from '../../../src/deployment/lock/lockingTransport.ts'
import type { StepError } from '../../../src/deployment/stepError.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'

const owner = { id: 'own', operation: 'install', cluster: 'alpha', user: 'ops', machine: 'ops', pid: 7 }

describe('the lock of a host', () => {
  it('takes over from an earlier run when its run begins to work, once', async () => {
    const host = fakeTransport({
      expect: [{ script: '', result: { stdout: 'taken\n' } }, ...Array(3).fill({ script: '' })],
    })
    let begun = false
    const transport = lockingTransport(host, {
      ...{ installDirectory: '/opt/muster', owner, runs: () => true, beforeNext: () => '' },
      takeOver: () => (begun ? 'take over\n' : ''),
    })
    for (const script of ['facts', 'more facts']) await transport.run(script)
    begun = true
    for (const script of ['first step', 'second step']) await transport.run(script)
    expect(host.scripts[0]).not.toContain('take over')
    expect(host.scripts.slice(1)).toEqual(['more facts', 'take over\nfirst step', 'second step'])
  })

  it('advises no option that the command lacks while another run holds it', async () => {
    const fixOf = async (locking: { readonly hasLockOptions?: boolean }): Promise<string> => {
      const host = fakeTransport({
        expect: [{ script: '', result: { stdout: 'held\t3\t2026-01-01T00:00:00Z\t\n' } }],
      })
      const of = { installDirectory: '/opt/muster', owner, runs: () => true, beforeNext: () => '' }
      return lockingTransport(host, { ...of, ...locking })
        .run('facts')
        .then(
          () => 'taken',
          (error: StepError) => error.fix,
        )
    }
    expect(await fixOf({})).toContain('--lock-wait 5m')
    expect(await fixOf({ hasLockOptions: false })).toBe(
      'Wait until it ends. A run whose machine is down loses the lock 30 s after its last heartbeat.',
    )
  })
})

/** A clock that only pauses move. */
function patience(wait: number, random = 0.5): RetryTiming & { readonly pauses: number[] } {
  let time = 1000
  const pauses: number[] = []
  return {
    wait,
    clock: () => time,
    random: () => random,
    pauses,
    pause: async (milliseconds) => {
      pauses.push(milliseconds)
      time += milliseconds
    },
  }
}

const never = { attempt: async () => 'held', done: () => false }

describe('retryWhileHeld', () => {
  it('attempts once without a wait time', async () => {
    const none = patience(0)
    expect(await retryWhileHeld(none, never)).toBe('held')
    expect(none.pauses).toEqual([])
  })

  it('waits in random pauses, reports it once, and makes a last attempt at the end', async () => {
    const told: string[] = []
    const some = patience(4000)
    await retryWhileHeld(some, { ...never, waiting: (outcome) => told.push(outcome) })
    expect(some.pauses).toEqual([1500, 1500, 1000])
    expect(told).toEqual(['held'])
    const quick = patience(1000, 0)
    await retryWhileHeld(quick, never)
    expect(quick.pauses).toEqual([500, 500])
  })

  it('ends with the first successful attempt', async () => {
    const outcomes = ['held', 'held', 'taken', 'never asked']
    const some = patience(60_000)
    const attempt = async () => outcomes.shift()
    expect(await retryWhileHeld(some, { attempt, done: (one) => one === 'taken' })).toBe('taken')
    expect(some.pauses).toHaveLength(2)
  })
})
