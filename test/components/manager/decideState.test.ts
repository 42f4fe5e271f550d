import { describe, expect, it } from 'vitest'
import { broken, managerIn, place, refusing, replicating } from './support.ts'

describe('what the policies do', () => {
  const db2 = place('db2')
  const error = "ERROR 1062: Duplicate entry '7' for key 'PRIMARY'."

  it('AUTOMATIC fences after three checks with the reason, and brings back after two', async () => {
    const { monitor, status, lines, kept, folder } = await managerIn()
    monitor.set(db2, broken)
    await monitor.tick(db2, 2)
    expect(await status('db2')).toMatchObject({ state: 'ONLINE', reason: `The applier is stopped. ${error}` })
    await monitor.tick(db2)
    const fenced = { state: 'FAILED', by: 'manager', reason: `The applier is stopped. ${error}` }
    expect(await status('db2')).toMatchObject({ ...fenced, seqno: 35, appliedLatency: null })
    expect(kept().marks).toMatchObject([{ name: 'db2', ...fenced }])
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: 'fenced a data source',
        facts: {
          service: 'alpha',
          datasource: 'db2',
          from: 'ONLINE',
          to: 'FAILED',
          policy: 'AUTOMATIC',
          reason: fenced.reason,
        },
      },
    ])
    // A manager that starts again has not forgotten why.
    expect(await (await managerIn({ folder })).status('db2')).toMatchObject(fenced)

    monitor.set(db2, replicating())
    await monitor.tick(db2)
    expect((await status('db2')).state).toBe('FAILED')
    await monitor.tick(db2)
    expect(await status('db2')).toMatchObject({ state: 'ONLINE', by: 'manager', reason: null })
  })

  it('MANUAL fences too, and waits for recover', async () => {
    const { monitor, status, post, control } = await managerIn()
    await post('control/service/alpha/policy/manual')
    monitor.set(db2, broken)
    await monitor.tick(db2, 3)
    monitor.set(db2, replicating())
    await monitor.tick(db2, 20)
    expect(await status('db2')).toMatchObject({
      state: 'FAILED',
      reason: `The applier is stopped. ${error} Its health checks succeed again.`,
    })
    await control('db2', 'recover')
    await monitor.tick(db2, 20)
    expect((await status('db2')).state).toBe('OFFLINE')
    expect((await control('db2', 'online')).payload.state).toBe('ONLINE')
  })

  it('MAINTENANCE only tells', async () => {
    const { monitor, status, post } = await managerIn()
    await post('control/service/alpha/policy/maintenance')
    monitor.set(db2, refusing)
    await monitor.tick(db2, 20)
    expect(await status('db2')).toMatchObject({ state: 'ONLINE', reason: /nothing listens there/ })
    await post('control/service/alpha/policy/manual')
    await monitor.tick(db2)
    expect((await status('db2')).state).toBe('FAILED')
  })

  it('a server of two services is judged in each by its role and policy there', async () => {
    const shared = { host: '10.0.0.2', port: 3306 }
    const map = {
      services: [
        { name: 'alpha', datasources: [{ name: 'db2', ...shared, role: 'replica' as const }] },
        { name: 'beta', datasources: [{ name: 'b1', ...shared, role: 'witness' as const }] },
      ],
    }
    const { monitor, states, status, get } = await managerIn({ map })
    expect(monitor.followed()).toEqual(['10.0.0.2 3306', '10.0.0.2 3306'])
    await monitor.tick(shared)
    expect((await get('status/service/beta/datasource/b1')).payload.role).toBe('witness')
    expect(await status('db2')).toMatchObject({ role: 'replica', appliedLatency: 4 })
    monitor.set(shared, broken)
    await monitor.tick(shared, 3)
    expect(await states()).toEqual(['FAILED', 'ONLINE'])
    expect((await status('db2')).state).toBe('FAILED')
  })
})
