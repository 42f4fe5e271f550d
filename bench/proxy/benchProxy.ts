import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { backend } from './backend.ts'
import { drive, type Load } from './drive.ts'
import { cores, endAll, firstLine, pinned, program, type RunningProxy, startProxies } from './proxies.ts'

const rounds = 5

const loads = {
  requests: { requests: 30_000, clients: 32, answer: 128, anew: false },
  connections: { requests: 6000, clients: 32, answer: 128, anew: true },
  transfers: { requests: 600, clients: 8, answer: 1024 * 1024, anew: false },
} as const satisfies Readonly<Record<string, Omit<Load, 'port'>>>

type Kind = keyof typeof loads
const kinds = ['requests', 'connections', 'transfers'] as const

/** What one proxy needed for one request of a kind: microseconds of its core, and of the clock. */
type Cost = { readonly cpu: number; readonly wall: number }

/** Nanoseconds that all threads of a process were on a core (proc(5), /proc/PID/task/TID/schedstat). */
function onCore(pid: number): number {
  const folder = `/proc/${pid}/task`
  return readdirSync(folder)
    .map((thread) => Number(readFileSync(join(folder, thread, 'schedstat'), 'utf8').split(' ')[0]))
    .reduce((sum, one) => sum + one, 0)
}

async function measure({ child, port }: RunningProxy, kind: Kind): Promise<Cost> {
  const load: Load = { port, ...loads[kind] }
  const pid = child.pid ?? 0
  const before = onCore(pid)
  const milliseconds = Number(await firstLine(pinned(cores.others, program(drive, JSON.stringify(load)))))
  return { cpu: (onCore(pid) - before) / 1000 / load.requests, wall: (milliseconds * 1000) / load.requests }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const rounded = (value: number): number => Number(value.toFixed(2))

/** How a goal is met: `cpuPerRequest` is how many times as much, the others are how many times as many a second. */
type Goal = { readonly ratio: number; readonly limit: string; readonly barePipe: number }

/**
 * The connector against HAProxy in TCP mode with one thread, and against two piped streams, each on the same one
 * core. What a core can do in a second is judged by the time that the proxy was on it: the load comes from the
 * machine's other core and would be the limit otherwise; `wall` shows the clock, too.
 */
export async function benchProxy(): Promise<unknown> {
  for (const path of ['/usr/sbin/haproxy', '/usr/bin/taskset']) {
    if (!existsSync(path))
      return { skipped: `${path} is not here: install the packages haproxy and util-linux` }
  }
  if (cpus().length < 2) return { skipped: 'this takes two cores: one for the proxy, one for its clients' }
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  try {
    const database = pinned(cores.others, program(backend))
    const proxies = await startProxies(folder, Number(await firstLine(database)))
    const costs = new Map<string, Cost[]>()
    for (let round = -1; round < rounds; round += 1) {
      for (const kind of kinds) {
        for (const proxy of proxies) {
          const cost = await measure(proxy, kind)
          // The first round is for the compilers.
          if (round >= 0)
            costs.set(`${kind} ${proxy.name}`, [...(costs.get(`${kind} ${proxy.name}`) ?? []), cost])
        }
      }
    }
    const of = (kind: Kind, name: string, what: keyof Cost): readonly number[] =>
      (costs.get(`${kind} ${name}`) ?? []).map((it) => it[what])
    const times = (kind: Kind, name: string, what: keyof Cost): number => {
      const against = of(kind, 'haproxy', what)
      return median(of(kind, name, what).map((one, round) => one / (against[round] ?? Number.NaN)))
    }
    const goal = (kind: Kind, limit: string, asRate: boolean): Goal => {
      const [own, bare] = [times(kind, 'connector', 'cpu'), times(kind, 'pipe', 'cpu')]
      return {
        ratio: rounded(asRate ? 1 / own : own),
        limit,
        barePipe: rounded(asRate ? 1 / bare : bare),
      }
    }
    const table = (what: keyof Cost) =>
      Object.fromEntries(
        kinds.map((kind) => [
          kind,
          Object.fromEntries(proxies.map(({ name }) => [name, rounded(median(of(kind, name, what)))])),
        ]),
      )
    return {
      cpuPerRequest: goal('requests', 'at most 2', false),
      newConnections: goal('connections', 'at least 0.35', true),
      transfersOf1MB: goal('transfers', 'at least 0.7', true),
      microseconds: { cpu: table('cpu'), wall: table('wall') },
      rounds,
    }
  } finally {
    endAll()
    rmSync(folder, { recursive: true })
  }
}
