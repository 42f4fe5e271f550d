import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOperator, type Operator } from '../../test/lab/scenario/operator.ts'
import type { Lab, LabHost } from '../../test/lab/support/labTypes.ts'
import { pinnedNode } from '../../test/lab/support/pinnedNode.ts'
import { writeTinyRuntime } from '../../test/scenarios/support/tinyRuntime.ts'
import { startDelayingProxy } from '../../test/support/delayingProxy.ts'
import { password } from './hosts.ts'

const hidden = '/usr/local/lib/muster-bench'

/** One run: milliseconds, and how often the line turned round. */
export type FarRun = { readonly took: number; readonly turns: number }

/** A host behind a proxy, and the cluster of it alone. */
export type FarHost = {
  readonly operator: Operator
  /** Runs muster on the cluster to its good end; `says` must be part of what it prints. */
  muster(args: readonly string[], says?: string): Promise<FarRun>
  close(): Promise<void>
}

/** Commands that only look, which take no --yes. */
const looks = (args: readonly string[]): boolean => args.includes('verify')

/** Puts a Node.js on the host that the tiny runtimes of far operators lead to. */
async function hideNode(host: LabHost): Promise<void> {
  const folder = join(host.root(), hidden)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'node'), await pinnedNode())
  chmodSync(join(folder, 'node'), 0o755)
}

/** Reaches a host over a line whose one way takes `delay` milliseconds. */
async function farHost(
  lab: Lab,
  host: LabHost,
  { delay, defaults }: { readonly delay: number; readonly defaults: string },
): Promise<FarHost> {
  const proxy = await startDelayingProxy({ to: { address: host.address, port: 22 }, delay })
  const operator = createOperator(lab, `far-${delay}`, password)
  const runtime = join(operator.directory, 'node')
  writeTinyRuntime(runtime, `${hidden}/node`)
  operator.write('known', `[${proxy.address}]:${proxy.port} ${host.hostKey()}\n`)
  operator.write(
    'alpha.yaml',
    `cluster: alpha
defaults:
  rest-api-admin-user: admin
  rest-api-admin-pass: !env ADMIN_PASS
  manager-rest-api-address: 0.0.0.0
${defaults}ssh: { transport: ${process.env.MUSTER_LAB_TRANSPORT ?? 'auto'}, user: root, port: ${proxy.port}, identity: ${lab.keyPath}, known-hosts: ${join(operator.directory, 'known')} }
services:
  alpha: { topology: clustered, master: ${host.name}, members: [${host.name}], connectors: [${host.name}] }
hosts:
  ${host.name}: { address: ${proxy.address} }
`,
  )
  return {
    operator,
    muster: async (args, says = '') => {
      const [began, before] = [performance.now(), proxy.turns()]
      const runtimeFile = args[0] === 'install' ? ['--runtime-file', runtime] : []
      const yes = looks(args) ? [] : ['--yes']
      const { code, stdout, stderr } = await operator.muster([...args, ...yes, ...runtimeFile, 'alpha.yaml'])
      if (code !== 0 || !stdout.includes(says)) {
        throw new Error(`muster ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`)
      }
      return { took: performance.now() - began, turns: proxy.turns() - before }
    },
    close: () => proxy.close(),
  }
}

/** Milliseconds of one way of a far line: a round trip takes twice as long. */
const far = 100

const rounds = 5

/**
 * Round trips of each kind of run in a round: by how much longer it takes over a line whose round trip takes 200 ms
 * than over one that takes none; and as the proxy counts them, with that of TCP. The runtime weighs two hundred bytes:
 * what the bytes take is not counted, and waiting for services takes as long over either line. `defaults` are lines of
 * the file.
 */
export async function tripsOverLines<Kind extends string>(options: {
  readonly lab: Lab
  readonly host: LabHost
  readonly defaults?: string
  readonly round: (host: FarHost) => Promise<Readonly<Record<Kind, FarRun>>>
  readonly limits: readonly (readonly [kind: Kind, limit: number])[]
}): Promise<object> {
  const { lab, host, defaults = '', round, limits } = options
  await hideNode(host)
  const near = await farHost(lab, host, { delay: 0, defaults })
  const away = await farHost(lab, host, { delay: far, defaults })
  try {
    const pairs: { readonly near: Record<Kind, FarRun>; readonly away: Record<Kind, FarRun> }[] = []
    for (let made = 0; made < rounds; made += 1) {
      pairs.push({ near: await round(near), away: await round(away) })
    }
    const runsOf = (kind: Kind) => pairs.map((pair) => ({ near: pair.near[kind], away: pair.away[kind] }))
    return Object.fromEntries(limits.map(([kind, limit]) => [kind, tripsOf(runsOf(kind), limit)]))
  } finally {
    await near.close()
    await away.close()
  }
}

/** Of one kind of run: how much longer it took, in round trips, the median and each; and those counted. */
function tripsOf(pairs: readonly { readonly near: FarRun; readonly away: FarRun }[], limit: number): object {
  const longer = pairs.map((pair) => (pair.away.took - pair.near.took) / (2 * far))
  const sorted = longer.toSorted((a, b) => a - b)
  return {
    roundTrips: Math.round((sorted[Math.floor(sorted.length / 2)] ?? Number.NaN) * 10) / 10,
    limit,
    eachRound: longer.map((value) => Math.round(value * 10) / 10),
    // That of TCP the proxy does not see; our goodbye, which nobody waits for, stands in for it.
    counted: pairs.map((pair) => pair.away.turns),
  }
}
