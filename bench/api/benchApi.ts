import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryOfComponents } from './memory.ts'
import { endAll, freePort, onCore, runOnFirstCore } from './processes.ts'
import {
  ask,
  authorization,
  makeHost,
  path,
  type RunningServer,
  startBare,
  startComponent,
  startNginx,
} from './servers.ts'

const rounds = 7
const seconds = 2

/** Connections that stay open, and a new one for each call, as a command line client makes it. */
const loads = { keptOpen: 16, connectionEach: 16 } as const
type Kind = keyof typeof loads
const kinds = ['keptOpen', 'connectionEach'] as const

/** What one call cost a server: microseconds on its core; and how many a second it answered beside its clients. */
type Cost = { readonly cpu: number; readonly perSecond: number }

async function measure({ port, pid }: RunningServer, kind: Kind): Promise<Cost> {
  const close = kind === 'connectionEach' ? ['-H', 'Connection: close'] : []
  const header = ['-H', `Authorization: ${authorization}`, ...close]
  const before = onCore(pid)
  const told = await runOnFirstCore([
    ...['/usr/bin/wrk', '-t', '1', '-c', String(loads[kind]), '-d', `${seconds}s`],
    ...[...header, `https://127.0.0.1:${port}${path}`],
  ])
  const cpu = onCore(pid) - before
  const calls = Number(/(\d+) requests in/.exec(told)?.[1])
  if (!(calls > 0) || told.includes('Non-2xx')) throw new Error(`wrk says: ${told}`)
  return { cpu: cpu / 1000 / calls, perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(told)?.[1]) }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits))

async function compare(servers: readonly RunningServer[]): Promise<object> {
  const costs: Record<Kind, Record<string, Cost[]>> = { keptOpen: {}, connectionEach: {} }
  for (let round = -2; round < rounds; round += 1) {
    for (const kind of kinds) {
      for (const server of servers) {
        const cost = await measure(server, kind)
        // The first ones are for the compilers.
        if (round >= 0) costs[kind][server.name] = [...(costs[kind][server.name] ?? []), cost]
      }
    }
  }
  const of = (kind: Kind) => {
    const own = costs[kind].muster ?? []
    // Each round with its own: what disturbs the machine for a while disturbs all of them.
    const timesAs = (name: string): number =>
      rounded(
        median((costs[kind][name] ?? []).map(({ cpu }, round) => cpu / (own[round]?.cpu ?? Number.NaN))),
      )
    const others = servers.map(({ name }) => name).filter((name) => name !== 'muster')
    const show = (what: keyof Cost, digits: number) =>
      Object.fromEntries(
        servers.map(({ name }) => [
          name,
          rounded(median((costs[kind][name] ?? []).map((it) => it[what])), digits),
        ]),
      )
    return {
      ratioTo: Object.fromEntries(others.map((name) => [name, timesAs(name)])),
      microsecondsOnCore: show('cpu', 1),
      perSecondBesideClients: show('perSecond', 0),
    }
  }
  return { keptOpen: of('keptOpen'), connectionEach: of('connectionEach'), rounds }
}

/**
 * GET of a user with a login: how many of them a core answers in a second, as a multiple of what a bare node:https
 * server and nginx with auth_basic do with the same bytes and the same certificate. Judged by the time that the
 * server itself was on the core. Its clients are on the same one: on another they would sleep now and then, and
 * to wake a core costs as much as an answer.
 */
export async function benchApi(): Promise<unknown> {
  for (const [file, name] of [
    ['/usr/bin/wrk', 'wrk'],
    ['/usr/bin/taskset', 'util-linux'],
  ]) {
    if (!existsSync(file ?? '')) return { skipped: `${file} is not here: install the package ${name}` }
  }
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  try {
    const tls = await makeHost(folder)
    const muster = await startComponent({ folder, component: 'manager', node: [process.execPath] })
    const answer = await ask(muster.port)
    if (answer.status !== 200) throw new Error(`muster answered ${answer.status}: ${answer.body}`)
    const servers: RunningServer[] = [muster, await startBare(folder, tls, answer)]
    const hasNginx = existsSync('/usr/sbin/nginx')
    if (hasNginx) servers.push(await startNginx(folder, await freePort(), answer))
    for (const { name, port } of servers) {
      const same = await ask(port)
      if (same.body !== answer.body) throw new Error(`${name} answers something else: ${same.body}`)
      const refused = await ask(port, {})
      if (name !== 'node:https' && refused.status !== 401) throw new Error(`${name} lets everybody in`)
    }
    const compared = await compare(servers)
    await endAll()
    return {
      user: { ...compared, limit: 'node:https at least 0.8' },
      ...(hasNginx ? {} : { withoutNginx: '/usr/sbin/nginx is not here: install the package nginx-light' }),
      memory: await memoryOfComponents(folder),
    }
  } finally {
    await endAll()
    rmSync(folder, { recursive: true })
  }
}
