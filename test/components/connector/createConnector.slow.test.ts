import fc from 'fast-check'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { request } from '../../../src/client/request.ts'
import { openConnector } from '../../../src/components/connector/connector.ts'
import { answerCheck } from '../../support/checkAnswer.ts'
import { type DatabaseClient, databaseClient, standIn } from '../../support/databaseClient.ts'
import { connectorSettings, dataSource } from '../../support/testConnector.ts'
import { start } from '../../support/testServer.ts'

const operations = ['online', 'onhold', 'offline', 'addDataSource', 'reset'] as const
type Operation = (typeof operations)[number]

/** The three states, and whether the map is another than the installed one. */
type State = { readonly mode: string; readonly isMapChanged: boolean }
type Seen = { readonly operation: Operation; readonly changed: boolean }

const modeOf: Readonly<Partial<Record<Operation, string>>> = {
  online: 'ONLINE',
  onhold: 'ONHOLD',
  offline: 'OFFLINE',
}

/** What an operation makes of a state. */
const after = (state: State, operation: Operation): State => {
  const mode = modeOf[operation]
  return mode === undefined ? { ...state, isMapChanged: operation === 'addDataSource' } : { ...state, mode }
}

const same = (a: State, b: State): boolean => a.mode === b.mode && a.isMapChanged === b.isMapChanged

/** The states in which calls made at once may end: one for each order in which all their answers are right. */
function ends(state: State, calls: readonly Seen[]): readonly State[] {
  if (calls.length === 0) return [state]
  return calls.flatMap((first, index) => {
    const next = after(state, first.operation)
    if (first.changed === same(state, next)) return []
    return ends(next, calls.toSpliced(index, 1))
  })
}

it('the model itself refuses answers that no order explains', () => {
  const online = { mode: 'ONLINE', isMapChanged: false }
  const offline = { operation: 'offline', changed: true } as const
  expect(ends(online, [offline, { ...offline, changed: false }])).toHaveLength(1)
  expect(ends(online, [offline, offline])).toEqual([])
  expect(ends(online, [{ ...offline, changed: false }])).toEqual([])
})

it('a thousand calls of many callers leave it as the model says, and no client of the database is lost', async () => {
  const db1 = await standIn('db1')
  // Without its lines in the audit log a call waits for one disk write less.
  const { auditFile: _auditFile, ...settings } = connectorSettings([dataSource(db1)])
  const opened = openConnector(settings, pino({ level: 'silent' }))
  onTestFinished(() => opened.close())
  await opened.start?.()
  await start(settings, undefined, { api: opened.api })

  const ask = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const endpoint = { kind: 'socket', path: settings.socket } as const
    const answer = await request({ endpoint, method, path, body, timeout: 25_000 })
    const { status, headers } = answer
    return { status, headers, body: JSON.stringify(answer.body), path, method }
  }
  const check = answerCheck(JSON.parse((await ask('GET', '/openapi.json')).body))
  const payloadOf = async (...call: Parameters<typeof ask>) => {
    const answer = await ask(...call)
    check(answer)
    expect(answer.status).toBe(200)
    return JSON.parse(answer.body).payload
  }
  const added = { service: 'alpha', ...dataSource({ name: 'db2', port: 1 }, 'replica') }
  const call = async (operation: Operation): Promise<Seen> => {
    const body =
      operation === 'addDataSource' ? { payloadType: 'DataSourcePayload', payload: added } : undefined
    const payload = await payloadOf('POST', `/api/v2/connector/${operation}?i-am-sure=true`, body)
    if (modeOf[operation] !== undefined) expect(payload.value).toBe(modeOf[operation])
    return { operation, changed: payload.changed }
  }
  const look = async (): Promise<State> => {
    const { services } = await payloadOf('GET', '/api/v2/connector/configuration/module/servicesmap')
    const { value: mode } = await payloadOf('GET', '/api/v2/connector/status')
    return { mode, isMapChanged: services[0].datasources.length > 1 }
  }

  const rounds = fc.array(fc.constantFrom(...operations), { minLength: 5, maxLength: 5 })
  const batches = fc.sample(rounds, 200)
  const clients: DatabaseClient[] = []
  let state: State = { mode: 'ONLINE', isMapChanged: false }
  for (const [index, batch] of batches.entries()) {
    if (index % 5 === 0) clients.push(await databaseClient(opened.ports()[0] ?? 0))
    const possible = ends(state, await Promise.all(batch.map(call)))
    const found = await look()
    if (!possible.some((it) => same(it, found))) {
      expect({ state, batch, found }).toEqual({ state, batch, found: possible })
    }
    state = found
  }
  await call('online')
  // Each was greeted by the database or told why not.
  const fates = await Promise.all(
    clients.map(async (client) => {
      await Promise.race([client.sees('db1 greets').catch(() => undefined), client.ended])
      return /^db1 greets|is OFFLINE since/.test(client.received())
    }),
  )
  expect(fates).toEqual(clients.map(() => true))
})
