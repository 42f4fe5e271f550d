import { describe, expect, it } from 'vitest'
import { envelope } from '../../../src/contracts/envelope.ts'
import { managerExamples } from '../../../src/contracts/examples/managerExamples.ts'
import { createRowLedger } from '../../../src/deployment/drill/rowLedger.ts'
import { watchService } from '../../../src/deployment/drill/watchService.ts'
import { drillPlan } from '../../support/drillValues.ts'

type State = 'ONLINE' | 'FAILED'

/** A service of three, watched by a clock that goes on with each wait; `seen` is what its managers say at a time. */
function watched(seen: (time: number) => { readonly db1: State; readonly writer: string | null }) {
  let time = 0
  const signal = new AbortController()
  const ledger = createRowLedger(() => time)
  const example = managerExamples.managerServiceStatus.response
  const [source] = example.datasources
  const asked: string[] = []
  const status = (): unknown => {
    const { db1, writer } = seen(time)
    const datasources = ['db1', 'db2', 'db3'].map((name) => ({
      ...source,
      ...{
        name,
        role: name === writer ? 'primary' : 'replica',
        state: name === 'db1' ? db1 : 'ONLINE',
        reason: null,
      },
    }))
    const payload = {
      ...{ ...example, datasources, failover: { automatic: true, reason: null } },
      writer: { datasource: writer, code: null, reason: writer === null ? 'none' : null, hold: false },
    }
    return envelope('ServiceStatusPayload', payload)
  }
  const moments: string[] = []
  const watch = watchService({
    plan: drillPlan,
    managers: ['db1', 'db2', 'db3'].map((host) => ({
      host,
      call: async () => {
        asked.push(host)
        return { status: 200, body: status() }
      },
    })),
    ledger,
    onMoment: (moment, { after, primary }) => moments.push(`${moment} ${after} ${primary}`),
    clock: {
      now: () => time,
      wait: async (milliseconds) => {
        time += milliseconds
      },
    },
    signal: signal.signal,
  })
  return {
    ...{ watch, moments, asked, stop: () => signal.abort(), now: () => time },
    write: (begin: number) => {
      for (const writer of [0, 1, 2, 3]) ledger.add({ writer, row: begin + 1, begin, end: begin })
    },
  }
}

const never = (): boolean => false

describe('the watch over a service after a fault', () => {
  it('ends the fault once another one is the primary and each writer writes, asking survivors alone', async () => {
    const at = watched((time) => {
      if (time >= 3000) at.write(3000)
      return {
        db1: time < 1000 ? 'ONLINE' : 'FAILED',
        writer: time < 1000 ? 'db1' : time < 2000 ? null : 'db2',
      }
    })
    await at.watch.untilHandled(never)
    expect(at.moments).toEqual(['failed 1000 db1', 'primary 2000 db2', 'row 3000 db2'])
    expect(at.asked).not.toContain('db1')
    expect(at.watch.primary()).toBe('db2')
  })

  it('ends the fault where the primary stays, after the time for another one', async () => {
    const at = watched((time) => {
      at.write(time)
      return { db1: 'ONLINE', writer: 'db1' }
    })
    await at.watch.untilHandled(never)
    expect(at.now()).toBeGreaterThan(10_000)
    expect(at.now()).toBeLessThan(11_000)
  })

  it('ends the fault before its host undoes it where no row is acknowledged any more', async () => {
    const at = watched(() => ({ db1: 'FAILED', writer: null }))
    await at.watch.untilHandled(never)
    expect(at.now()).toBe(45_000)
  })

  it('ends the fault at once for the operator, and where no writer is left', async () => {
    const stopped = watched(() => ({ db1: 'FAILED', writer: null }))
    stopped.stop()
    await stopped.watch.untilHandled(never)
    expect(stopped.now()).toBe(0)
    const without = watched(() => ({ db1: 'FAILED', writer: null }))
    await without.watch.untilHandled(() => true)
    expect(without.now()).toBe(0)
  })

  it('waits until the service is whole again', async () => {
    const at = watched((time) => ({ db1: time < 4000 ? 'FAILED' : 'ONLINE', writer: 'db2' }))
    expect(await at.watch.untilWhole()).toEqual([])
    expect(at.moments).toEqual([
      'healed 0 null',
      'failed 0 db2',
      'primary 0 db2',
      'online 4000 db2',
      'whole 4000 db2',
    ])
  })

  it('says why it is not whole after two minutes', async () => {
    const at = watched(() => ({ db1: 'FAILED', writer: 'db2' }))
    expect(await at.watch.untilWhole()).toEqual(['db1: it is FAILED'])
    expect(at.now()).toBe(120_200)
  })
})
