import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { execute } from '../../test/lab/support/execute.ts'
import { serveCanned } from '../../test/support/cannedHost.ts'
import { startSshServer } from '../../test/support/sshServer.ts'
import { usedBy } from '../deploy/manyHosts.ts'
import { largeCluster } from './largeCluster.ts'
import { savedHosts } from './madeHosts.ts'

/** Megabytes of the processes that a process started: shared pages count once for all (proc(5), Pss). */
function ofChildren(pid: number): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    return children.filter((child) => child !== '').reduce((sum, child) => sum + proportional(child), 0)
  } catch {
    return 0
  }
}

function proportional(pid: string): number {
  try {
    const found = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
    return Number(found?.[1]) / 1024
  } catch {
    return 0
  }
}

/** `muster install` without a change on the hosts of `makeLarge`, over a connection to each. */
export async function runConnected(
  folder: string,
  cluster: {
    readonly count: number
    readonly databases: boolean
    readonly transport: 'builtin' | 'openssh'
  },
): Promise<object> {
  const printed = savedHosts(folder)
  const server = await startSshServer({
    address: '0.0.0.0',
    serve: (channel, command, user) =>
      serveCanned(channel, command, undefined, (nonce) => printed(user, nonce)),
  })
  try {
    const { port, clientKeyPath, hostKeyFingerprint } = server
    const ssh = {
      transport: cluster.transport,
      port,
      identity: clientKeyPath,
      'host-key': hostKeyFingerprint,
    }
    writeFileSync(join(folder, 'large.yaml'), largeCluster({ ...cluster, ssh }))
    let used = { megabytes: 0, core: 0 }
    let clients = 0
    let watch: NodeJS.Timeout | undefined
    const { code, stdout, stderr } = await execute(
      process.execPath,
      [resolve('dist/muster.js'), 'install', '--yes', 'large.yaml'],
      {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') },
        timeout: 3_600_000,
        onStart: (pid) => {
          watch = setInterval(() => {
            used = usedBy(pid) ?? used
            if (cluster.transport === 'openssh') clients = Math.max(clients, ofChildren(pid))
          }, 500)
        },
      },
    )
    clearInterval(watch)
    if (code !== 0 || !stdout.includes('nothing to do')) {
      throw new Error(
        `a run on ${cluster.count} hosts ended with ${code}:\n${stdout.slice(-2000)}\n${stderr}`,
      )
    }
    return {
      hosts: cluster.count,
      transport: cluster.transport,
      core: Math.round(used.core * 10) / 10,
      megabytes: { muster: Math.round(used.megabytes), clients: Math.round(clients) },
      connections: server.connections(),
    }
  } finally {
    await server.close()
  }
}
