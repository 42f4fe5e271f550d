import { describe, expect, it } from 'vitest'
import { answered, managerIn, place, replicating } from './support.ts'

const id = '5b1c2c8e-0f5e-4b3c-8a51-0d7c1f7c9a11'
const otherId = '5b1c2c8e-0f5e-4b3c-8a51-0d7c1f7c9a12'
const wanted = {
  ...{ id, operation: 'switch', from: 'db1', to: 'db2' },
  ...{ step: 'hold', by: 'admin', milliseconds: 8000 },
}

/** A manager that another host calls. */
/** And what its routing said each time its connector was told. */
async function held(from = 'db3') {
  const told: unknown[] = []
  const world: Awaited<ReturnType<typeof managerIn>> = await managerIn({
    context: { hostOf: () => from },
    updateConnector: async () => {
      told.push(world.manager.writer('alpha').datasource ?? world.manager.writer('alpha').switching)
    },
  })
  for (const name of ['db1', 'db2', 'db3'] as const) await world.monitor.tick(place(name))
  const send = async (path: string, payloadType: string, payload: object) => {
    const answer = await world.api.call({
      method: 'POST',
      url: `/muster/service/${path}`,
      headers: { host: 'db1', 'content-type': 'application/json' },
      payload: { payloadType, payload },
    })
    return { status: answer.statusCode, payload: answer.json().payload }
  }
  const hold = (more: object = {}, service = 'alpha', guard = '?i-am-sure=true') =>
    send(`${service}/hold${guard}`, 'HoldPayload', { ...wanted, ...more })
  const release = (more: object = {}, service = 'alpha', guard = '?i-am-sure=true') =>
    send(`${service}/release${guard}`, 'ReleasePayload', { id, primary: 'db2', ...more })
  return { ...world, told, hold, release }
}

describe('the call that holds the clients of a service', () => {
  it('answers once the connector of the host holds them, and is in the audit log', async () => {
    const { hold, told, get, api, kept } = await held()
    expect(await hold()).toEqual({ status: 200, payload: { value: true, changed: true } })
    expect(told).toEqual([{ from: 'db1', to: 'db2' }])
    expect((await get('status/service/alpha')).payload.writer).toEqual({
      datasource: null,
      code: null,
      reason: 'a switch from db1 to db2 is under way',
      hold: true,
      switching: { from: 'db1', to: 'db2' },
    })
    expect(kept().holds).toMatchObject([{ id, by: 'admin', isOwn: false }])
    expect(api.auditEntries().at(-1)).toMatchObject({
      call: 'hold',
      caller: 'host',
      host: expect.anything(),
      changed: true,
      parameters: { service: 'alpha', ...wanted },
      before: null,
      after: 'hold',
    })
    expect((await hold({ step: 'drain' })).payload).toEqual({ value: true, changed: true })
    expect(told).toHaveLength(2)
  })

  it('is refused without the guard, with a wrong body and for what is no switch', async () => {
    const { hold, told, manager } = await held()
    const before = manager.routing()
    for (const [answer, status, code] of [
      [await hold({}, 'alpha', ''), 400, 'not-confirmed'],
      [await hold({ milliseconds: 600_001 }), 400, 'invalid-body'],
      [await hold({ step: 'later' }), 400, 'invalid-body'],
      [await hold({ id: 'x' }), 400, 'invalid-body'],
      [await hold({ by: 'a'.repeat(201) }), 400, 'invalid-body'],
      [await hold({}, 'beta'), 404, 'not-found'],
      [await hold({ to: 'db7' }), 404, 'not-found'],
      [await hold({ from: 'db3' }), 409, 'wrong-state'],
    ] as const) {
      expect(answer).toMatchObject({ status, payload: { code } })
    }
    await hold()
    expect(await hold({ id: otherId })).toMatchObject({ status: 409, payload: { code: 'operation-running' } })
    expect(told).toHaveLength(1)
    expect(before.services[0]?.writer.datasource).toBe('db1')
  })
})

describe('the call that releases the clients of a service', () => {
  it('answers once the connector of the host lets them go on to the new primary, and is idempotent', async () => {
    const { hold, release, told, monitor, get, api } = await held()
    await hold()
    monitor.set(place('db1'), replicating({ source: place('db2'), sourceId: 2 }))
    monitor.set(place('db2'), answered({ isWritable: true, serverId: 2 }))
    monitor.set(place('db3'), replicating({ source: place('db2'), sourceId: 2 }))
    expect(await release()).toEqual({ status: 200, payload: { value: true, changed: true } })
    expect(told.at(-1)).toBe('db2')
    expect(api.auditEntries().at(-1)).toMatchObject({
      call: 'release',
      changed: true,
      parameters: {
        service: 'alpha',
        id,
        primary: 'db2',
        operation: 'switch',
        from: 'db1',
        to: 'db2',
        by: 'admin',
      },
      before: 'hold',
      after: 'db2',
    })
    const { services } = (await get('configuration/module/servicesmap')).payload
    expect(services[0].datasources.map(({ role }: { role: string }) => role)).toEqual([
      'replica',
      'primary',
      'replica',
    ])
    expect(await release()).toEqual({ status: 200, payload: { value: true, changed: false } })
  })

  it('is refused without the guard, for another switch and for another primary', async () => {
    const { hold, release, manager } = await held()
    await hold()
    for (const [answer, status, code] of [
      [await release({}, 'alpha', ''), 400, 'not-confirmed'],
      [await release({ primary: 7 }), 400, 'invalid-body'],
      [await release({}, 'beta'), 404, 'not-found'],
      [await release({ id: otherId }), 409, 'operation-running'],
      [await release({ primary: 'db3' }), 409, 'wrong-state'],
    ] as const) {
      expect(answer).toMatchObject({ status, payload: { code } })
    }
    expect(manager.holdOf('alpha')?.isInForce).toBe(true)
  })

  it('names no primary that the servers do not show, whoever says so', async () => {
    const { hold, release, monitor, manager } = await held()
    await hold()
    const refused = {
      status: 409,
      payload: { code: 'wrong-state', detail: expect.stringMatching(/reads, db2 is not/) },
    }
    expect(await release(), 'db1 can be written').toMatchObject(refused)
    monitor.set(place('db1'), answered({ isWritable: false }))
    expect(await release(), 'db2 follows').toMatchObject(refused)
    monitor.set(place('db2'), answered({ isWritable: true, serverId: 2 }))
    expect(await release(), 'nobody follows db2').toMatchObject(refused)
    expect(manager.holdOf('alpha')?.isInForce).toBe(true)
    expect(manager.map().services[0]?.datasources.map(({ role }) => role)).toEqual([
      'primary',
      'replica',
      'replica',
    ])
    monitor.set(place('db3'), replicating({ source: place('db2'), sourceId: 2 }))
    expect(await release()).toMatchObject({ status: 200 })
    expect(manager.writer('alpha').datasource).toBe('db2')
  })

  it('ends the hold of a failover all the same, which a host that was cut off hears of too late', async () => {
    const { hold, release, monitor, manager } = await held()
    await hold({ operation: 'failover' })
    expect(await release()).toMatchObject({ status: 409, payload: { code: 'wrong-state' } })
    expect(manager.holdOf('alpha')?.isInForce).toBe(false)
    monitor.set(place('db1'), answered({ isWritable: false }))
    monitor.set(place('db2'), answered({ isWritable: true, serverId: 2 }))
    monitor.set(place('db3'), replicating({ source: place('db2'), sourceId: 2 }))
    for (const name of ['db1', 'db2', 'db3']) await manager.check({ service: 'alpha', name })
    expect(manager.writer('alpha').datasource).toBe('db2')
  })

  it('is refused where another host asks for it without end, and the audit log does not grow', async () => {
    const { hold, release, api } = await held()
    for (let round = 0; round < 30; round += 1) {
      expect((await hold()).status).toBe(200)
      expect((await release({ primary: null })).status).toBe(200)
    }
    const refused = {
      status: 409,
      payload: { code: 'operation-running', detail: expect.stringContaining('60 times') },
    }
    for (let round = 0; round < 100; round += 1) expect(await hold()).toMatchObject(refused)
    expect(api.auditEntries()).toHaveLength(120)
  })

  it('is refused to a host that cannot lead a switch, as is a hold', async () => {
    const { hold, release, told, manager } = await held('app1')
    const refused = {
      status: 401,
      payload: { code: 'login-required', detail: expect.stringContaining('app1') },
    }
    expect(await hold()).toMatchObject(refused)
    expect(await release()).toMatchObject(refused)
    expect([told, manager.holdOf('alpha')]).toEqual([[], undefined])
  })
})
