import { describe, expect, it } from 'vitest'
import { type Answer, createTakenOfflineTable } from '../../../src/components/manager/takenOffline.ts'
import { broken, managerIn, place, replicating } from './support.ts'

const db2 = place('db2')
const mark = { by: 'chief', since: '2025-03-10T09:59:00.000Z' }
const stopped = replicating({ applier: 'stopped', receiver: 'stopped', secondsBehind: null })
const reason =
  'Its replication was taken offline by chief at 2025-03-10T09:59:00.000Z. Start it with tapi replicator online.'

/** Lets answers of replicators arrive. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

/** A manager that knows the replicator of db2 to answer so. */
async function managerWith(first: Answer, folder?: string) {
  let answer = first
  const manager = await managerIn({
    ...(folder === undefined ? {} : { folder }),
    askReplicator: async ({ name }) => (name === 'db2' ? answer : null),
  })
  const see = async (observation: typeof stopped, times: number) => {
    manager.monitor.set(db2, observation)
    for (let made = 0; made < times; made += 1) {
      await manager.monitor.tick(db2)
      await settle()
    }
  }
  return {
    ...manager,
    see,
    answers: (next: Answer) => {
      answer = next
    },
  }
}

describe('a replica whose replication a person took offline', () => {
  it('is OFFLINE by that person until it runs again', async () => {
    const { see, status, kept, folder } = await managerWith(mark)
    await see(stopped, 4)
    expect(await status('db2')).toMatchObject({ state: 'OFFLINE', by: 'chief', code: null, reason })
    expect(kept().marks).toMatchObject([{ name: 'db2', state: 'OFFLINE', by: 'chief', reason }])
    await see(stopped, 20)
    expect((await status('db2')).state).toBe('OFFLINE')

    const restarted = await managerWith(undefined, folder)
    await restarted.see(stopped, 20)
    expect(await restarted.status('db2'), 'nobody says otherwise').toMatchObject({ state: 'OFFLINE' })
    await restarted.see(replicating(), 5)
    expect(await restarted.status('db2')).toMatchObject({ state: 'ONLINE', by: 'manager', reason: null })
  })

  it('is FAILED while nobody has said so, and OFFLINE once somebody does', async () => {
    const { see, status, answers } = await managerWith(undefined)
    await see(stopped, 4)
    expect(await status('db2')).toMatchObject({ state: 'FAILED', by: 'manager', code: 'not-replicating' })
    answers(mark)
    await see(stopped, 10)
    expect(await status('db2')).toMatchObject({ state: 'OFFLINE', by: 'chief', reason })
  })

  it('is FAILED if it was started and stopped again by SQL, or has an error', async () => {
    const { see, status, answers } = await managerWith(mark)
    await see(broken, 4)
    expect((await status('db2')).state).toBe('FAILED')
    await see(replicating(), 2)
    await see(stopped, 4)
    expect((await status('db2')).state).toBe('OFFLINE')
    await see(replicating(), 1)
    answers(null)
    await see(stopped, 4)
    expect(await status('db2')).toMatchObject({ state: 'FAILED', code: 'not-replicating' })
  })

  it('stays OFFLINE by the call for the data source, whatever its replication does', async () => {
    const { see, status, control } = await managerWith(null)
    await see(replicating(), 1)
    await control('db2', 'offline')
    await see(stopped, 20)
    expect(await status('db2')).toMatchObject({ state: 'OFFLINE', by: 'admin' })
  })
})

describe('the replicators of data sources', () => {
  function tableOf(isOwn: boolean) {
    let time = 0
    const asked: number[] = []
    const changes: string[] = []
    let answer: Answer = mark
    const source = { service: 'alpha', name: 'db2', host: '10.0.0.2', port: 3306, role: 'replica' } as const
    const table = createTakenOfflineTable({
      ask: async () => {
        asked.push(time)
        return answer
      },
      isOwn: () => isOwn,
      now: () => time,
      onChange: (service) => void changes.push(service),
    })
    const look = async (observation: typeof stopped, milliseconds: number) => {
      time += milliseconds
      table.look(source, observation)
      await settle()
      return table.of(source)
    }
    const answers = (next: Answer) => {
      answer = next
    }
    return { look, asked, changes, answers }
  }

  it('are asked when replication stands still, and then every five seconds', async () => {
    const { look, asked, changes } = tableOf(false)
    expect(await look(replicating(), 0)).toBeNull()
    expect(asked).toEqual([])
    for (let second = 0; second < 11; second += 1) expect(await look(stopped, 1000)).toEqual(mark)
    expect(asked).toEqual([1000, 6000, 11_000])
    expect(changes).toEqual(['alpha'])
    expect(await look(replicating(), 1000)).toBeNull()
  })

  it('of this host are asked once it runs again, so that its mark ends there', async () => {
    const { look, asked, answers } = tableOf(true)
    await look(stopped, 1000)
    answers(null)
    expect(await look(replicating(), 1000)).toBeNull()
    await look(replicating(), 10_000)
    expect(asked).toEqual([1000, 2000])
  })
})
