import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { execute } from '../../test/lab/support/execute.ts'
import { writeTinyRuntime } from '../../test/scenarios/support/tinyRuntime.ts'
import { serveCanned } from '../../test/support/cannedHost.ts'
import { type SshServer, startSshServer } from '../../test/support/sshServer.ts'
import { password } from './hosts.ts'

const counts = [250, 500, 1000]
const hostsPerService = 10

const nameOf = (index: number): string => `db${index + 1}`
/** All of 127.0.0.0/8 is this machine: one server is every host. */
const addressOf = (index: number): string => `127.20.${Math.floor(index / 250)}.${(index % 250) + 1}`

/** A cluster of services with ten hosts each. */
function clusterOf(count: number, server: SshServer): string {
  const names = Array.from({ length: count }, (_, index) => nameOf(index))
  const services = Array.from({ length: count / hostsPerService }, (_, index) => {
    const members = names.slice(index * hostsPerService, (index + 1) * hostsPerService)
    const all = members.join(', ')
    return `  s${index + 1}: { topology: clustered, master: ${members[0]}, members: [${all}], connectors: [${all}] }`
  })
  return `cluster: large
defaults:
  rest-api-admin-user: admin
  rest-api-admin-pass: !env ADMIN_PASS
ssh: { user: root, port: ${server.port}, identity: ${server.clientKeyPath}, host-key: "${server.hostKeyFingerprint}" }
services:
${services.join('\n')}
hosts:
${names.map((name, index) => `  ${name}: { address: ${addressOf(index)} }`).join('\n')}
`
}

/** Megabytes that a process held at most, and seconds on a core (proc(5)); undefined once it is gone. */
export function usedBy(pid: number): { readonly megabytes: number; readonly core: number } | undefined {
  try {
    const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // In hundredths of a second on every Linux that Node.js runs on.
    const core = (Number(fields[11]) + Number(fields[12])) / 100
    return line === null ? undefined : { megabytes: Number(line[1]) / 1024, core }
  } catch {
    return undefined
  }
}

type Run = {
  readonly hosts: number
  readonly seconds: number
  /** Seconds that muster itself was on a core. */
  readonly core: number
  /** That it held at most. */
  readonly megabytes: number
  readonly handshakesAtOnce: number
  readonly connections: number
}

async function installOn(count: number): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-many-'))
  const server = await startSshServer({
    address: '0.0.0.0',
    serve: (channel, command) => serveCanned(channel, command),
  })
  try {
    writeFileSync(join(folder, 'large.yaml'), clusterOf(count, server))
    const runtime = join(folder, 'node')
    writeTinyRuntime(runtime)
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, 'config'),
      ADMIN_PASS: password,
    }
    let used = { megabytes: 0, core: 0 }
    let watch: NodeJS.Timeout | undefined
    const began = performance.now()
    const args = [resolve('dist/muster.js'), 'install', '--yes', '--runtime-file', runtime, 'large.yaml']
    const { code, stdout, stderr } = await execute(process.execPath, args, {
      cwd: folder,
      env,
      onStart: (pid) => {
        watch = setInterval(() => {
          used = usedBy(pid) ?? used
        }, 200)
      },
    })
    const seconds = (performance.now() - began) / 1000
    clearInterval(watch)
    if (code !== 0) {
      throw new Error(
        `installing ${count} hosts ended with ${code}:\n${stdout.slice(-3000)}\n${stderr.slice(-3000)}`,
      )
    }
    return {
      hosts: count,
      seconds: Math.round(seconds * 10) / 10,
      core: Math.round(used.core * 10) / 10,
      megabytes: Math.round(used.megabytes),
      handshakesAtOnce: server.mostHandshakes(),
      connections: server.connections(),
    }
  } finally {
    await server.close()
    rmSync(folder, { recursive: true })
  }
}

/**
 * A whole installation on simulated hosts: every handshake, script and byte is real, but the hosts answer at once
 * and do nothing. Tells by how much a host more lengthens the run and what memory it takes.
 */
export async function manyHosts(): Promise<object> {
  const runs: Run[] = []
  for (const count of counts) runs.push(await installOn(count))
  const [few, , many] = runs
  if (few === undefined || many === undefined) throw new Error('three runs')
  const hosts = many.hosts - few.hosts
  const perHost = (run: Run): number => run.core / run.hosts
  return {
    runs,
    dropped: runs.reduce((sum, run) => sum + run.connections - run.hosts, 0),
    kilobytesPerHost: Math.round(((many.megabytes - few.megabytes) * 1024) / hosts),
    // Of the thousand as a multiple of the first: 1 where the time is linear.
    corePerHost: Math.round((perHost(many) / perHost(few)) * 100) / 100,
  }
}
