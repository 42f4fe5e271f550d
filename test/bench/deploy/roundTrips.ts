import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOperator } from '../../lab/scenario/operator.ts'
import type { Lab, LabHost } from '../../lab/support/labTypes.ts'
import { pinnedNode } from '../../lab/support/pinnedNode.ts'
import { writeTinyRuntime } from '../../scenarios/support/tinyRuntime.ts'
import { startDelayingProxy } from '../../support/delayingProxy.ts'
import { password } from './hosts.ts'

const rounds = 5
/** Milliseconds of one way: a round trip takes twice as long. */
const far = 100

const hidden = '/usr/local/lib/muster-bench'

/** A host behind a proxy, and the cluster of it alone. */
async function farHost(lab: Lab, host: LabHost, delay: number) {
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
ssh: { user: root, port: ${proxy.port}, identity: ${lab.keyPath}, known-hosts: ${join(operator.directory, 'known')} }
services:
  alpha: { topology: clustered, master: ${host.name}, members: [${host.name}], connectors: [${host.name}] }
hosts:
  ${host.name}: { address: ${proxy.address} }
`,
  )
  const muster = async (
    args: readonly string[],
    says = '',
  ): Promise<{ readonly took: number; readonly turns: number }> => {
    const [began, before] = [performance.now(), proxy.turns()]
    const runtimeFile = args[0] === 'install' ? ['--runtime-file', runtime] : []
    const { code, stdout, stderr } = await operator.muster([...args, '--yes', ...runtimeFile, 'alpha.yaml'])
    if (code !== 0 || !stdout.includes(says)) {
      throw new Error(`muster ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`)
    }
    return { took: performance.now() - began, turns: proxy.turns() - before }
  }
  return {
    /** An installation, then a run that changes nothing; all is taken away again. */
    round: async () => {
      const installation = await muster(['install'])
      const noOp = await muster(['install'], 'nothing to do')
      await muster(['uninstall', '--purge'])
      return { installation, noOp }
    },
    close: () => proxy.close(),
  }
}

/**
 * Round trips of one host: by how much longer a run takes over a line whose round trip takes 200 ms than over one that
 * takes none; and as the proxy counts them, with that of TCP. The runtime weighs two hundred bytes: what the bytes
 * take is not counted, and waiting for services takes as long over either line.
 */
export async function roundTrips(lab: Lab, host: LabHost): Promise<object> {
  const folder = join(host.root(), hidden)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'node'), await pinnedNode())
  chmodSync(join(folder, 'node'), 0o755)
  const [near, away] = [await farHost(lab, host, 0), await farHost(lab, host, far)]
  try {
    const pairs: {
      near: Awaited<ReturnType<typeof near.round>>
      away: Awaited<ReturnType<typeof away.round>>
    }[] = []
    for (let round = 0; round < rounds; round += 1) {
      pairs.push({ near: await near.round(), away: await away.round() })
    }
    const of = (what: 'installation' | 'noOp', limit: number) => {
      const longer = pairs.map((pair) => (pair.away[what].took - pair.near[what].took) / (2 * far))
      const sorted = longer.toSorted((a, b) => a - b)
      return {
        roundTrips: Math.round((sorted[Math.floor(rounds / 2)] ?? Number.NaN) * 10) / 10,
        limit,
        eachRound: longer.map((value) => Math.round(value * 10) / 10),
        // That of TCP the proxy does not see; our goodbye, which nobody waits for, stands in for it.
        counted: pairs.map((pair) => pair.away[what].turns),
      }
    }
    return { noOp: of('noOp', 10), installation: of('installation', 16) }
  } finally {
    await near.close()
    await away.close()
  }
}
