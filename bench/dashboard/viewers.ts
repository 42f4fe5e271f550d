import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { resident } from '../api/processes.ts'
import { type DashboardManager, login, startDashboardManager } from './dashboardManager.ts'

const viewers = 20
const rounds = 3
const datasources = 50
/** Milliseconds for which they look on while something changes. */
const span = 10_000
/** Milliseconds of rest before memory is read: V8 gives its space for young objects back only to a quiet program. */
const rest = 10_000
/** Calls before the first viewer comes. */
const calls = 3000

/** Calls the dashboard as its page does. */
function call(
  { port, authority }: DashboardManager,
  { path, cookie, body, agent }: { path: string; cookie?: string; body?: unknown; agent: Agent },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port, path: `/dashboard/${path}`, agent, servername: 'db1' },
        ca: readFileSync(authority),
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          Host: `db1:${port}`,
          ...(cookie && { Cookie: cookie }),
          ...(body !== undefined && {
            Origin: `https://db1:${port}`,
            'Content-Type': 'application/json',
            'X-Muster-Dashboard': '1',
          }),
        },
      },
      (response) => resolve(response),
    )
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

async function logIn(manager: DashboardManager): Promise<string> {
  const agent = new Agent({ keepAlive: false })
  const response = await call(manager, { path: 'login', body: login, agent })
  response.resume()
  const [cookie] = response.headers['set-cookie']?.[0]?.split(';') ?? []
  if (response.statusCode !== 200 || cookie === undefined) throw new Error(`no login: ${response.statusCode}`)
  return cookie
}

type Viewer = { readonly bytes: () => number; readonly leave: () => void; readonly cookie: string }

/** Looks on: a session and its stream. */
async function look(manager: DashboardManager): Promise<Viewer> {
  const cookie = await logIn(manager)
  const response = await call(manager, { path: 'events', cookie, agent: new Agent({ keepAlive: false }) })
  if (response.statusCode !== 200) throw new Error(`no stream: ${response.statusCode}`)
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  response.on('error', () => undefined)
  return { cookie, bytes: () => bytes, leave: () => response.destroy() }
}

/** Changes the state of a data source again and again for a while, as a person would by the page. */
async function change(manager: DashboardManager, cookie: string): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  for (let turn = 0; turn < span / 200; turn += 1) {
    const route = turn % 2 === 0 ? 'managerShun' : 'managerWelcome'
    const params = { service: 'alpha', datasource: 'db2' }
    const body = { cluster: 'alpha', host: 'db1', component: 'manager', route, params }
    const response = await call(manager, { path: 'action', cookie, body, agent })
    response.resume()
    if (response.statusCode !== 200) throw new Error(`no change: ${response.statusCode}`)
    await delay(200)
  }
  agent.destroy()
}

/** Makes a manager as warm as one that has answered for a while: V8 has compiled what is called often. */
async function warmUp(manager: DashboardManager): Promise<void> {
  // A login needs 16 MB for a moment, as any login to the API does, and the allocator keeps much of it.
  for (let index = 0; index < viewers; index += 1) await logIn(manager)
  const cookie = await logIn(manager)
  const agent = new Agent({ keepAlive: true })
  const read = async (): Promise<void> => {
    const response = await call(manager, { path: 'session', cookie, agent })
    await once(response.resume(), 'end')
    if (response.statusCode !== 200) throw new Error(`no session: ${response.statusCode}`)
  }
  for (let made = 0; made < calls; made += viewers) await Promise.all(Array.from({ length: viewers }, read))
  agent.destroy()
  await change(manager, cookie)
}

/** Bytes of a manager: resident at once; after a rest, resident and those that its objects need. */
type Memory = { readonly busy: number; readonly resident: number; readonly objects: number }

async function memory(manager: DashboardManager): Promise<Memory> {
  const busy = resident(manager.pid)
  await delay(rest)
  const objects = await manager.collect()
  return { busy, resident: resident(manager.pid), objects }
}

/**
 * Measures what twenty viewers add to the memory of a manager of fifty data sources, who all look on while its states
 * change for a while. The resident memory of the whole process counts, viewers still connected, after a rest and a
 * collection, against the same before they came; what logins and calls without viewers needed is told beside it. Young
 * objects come on top until V8 has a rest, with viewers or without: both are told as "before rest".
 */
export async function viewersCost(): Promise<unknown> {
  const services = {
    services: [
      {
        name: 'alpha',
        datasources: Array.from({ length: datasources }, (_, index) => ({
          name: `db${index + 1}`,
          host: '127.0.0.1',
          port: 3306,
          role: index === 0 ? ('primary' as const) : ('replica' as const),
        })),
      },
    ],
  }
  const manager = await startDashboardManager({ services })
  try {
    const fresh = await memory(manager)
    await warmUp(manager)
    const warm = await memory(manager)
    const costs: Memory[] = []
    for (let round = 0; round < rounds; round += 1) {
      const before = await memory(manager)
      const all: Viewer[] = []
      for (let index = 0; index < viewers; index += 1) all.push(await look(manager))
      const [first] = all
      if (first === undefined) throw new Error('nobody looks on')
      const read = first.bytes()
      await change(manager, first.cookie)
      if (first.bytes() <= read) throw new Error('the viewers were told of no change')
      const after = await memory(manager)
      costs.push({
        busy: after.busy - before.resident,
        resident: after.resident - before.resident,
        objects: after.objects - before.objects,
      })
      for (const viewer of all) viewer.leave()
    }
    const megabytes = (bytes = Number.NaN): number => Number((bytes / 1e6).toFixed(1))
    return {
      viewers,
      limit: 8,
      megabytesResident: costs.map(({ resident }) => megabytes(resident)),
      megabytesOfObjects: costs.map(({ objects }) => megabytes(objects)),
      megabytesBeforeRest: costs.map(({ busy }) => megabytes(busy)),
      withoutViewers: {
        megabytesOfLoginsAndCalls: megabytes(warm.resident - fresh.resident),
        megabytesBeforeRest: megabytes(warm.busy - warm.resident),
      },
    }
  } finally {
    await manager.stop()
  }
}
