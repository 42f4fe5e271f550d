import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Component } from '../../../src/contracts/component.ts'
import { freePort } from '../../support/ports.ts'
import { type SshServer, startSshServer } from '../../support/sshServer.ts'
import { type ClusterDescription, clusterFile, type HostWish, login } from './clusterFile.ts'
import { createOperator, type Operator, type Outcome, type RunOptions } from './operator.ts'
import { endProcesses, pidsBelow } from './pids.ts'
import { writeTinyRuntime } from './tinyRuntime.ts'

export type Host = HostWish & {
  readonly server: SshServer
  /** Programs that a test puts there are found before those of the machine, on this host alone. */
  readonly tools: string
  /** Pids by component, of those that have a pid file. */
  pids(): Readonly<Partial<Record<Component, number>>>
}

/** Hosts that are folders of this machine behind SSH servers of their own, and an operator who reaches them. */
export type World = {
  readonly folder: string
  readonly hosts: readonly Host[]
  readonly operator: Operator
  host(name: string): Host
  /** Writes alpha.yaml; all hosts unless told. */
  describe(wanted?: Partial<ClusterDescription>): void
  /** `muster install --yes alpha.yaml`, and so on for other commands; the runtime is the tiny one. */
  muster(command: string, argv?: readonly string[], options?: RunOptions): Promise<Outcome>
  /** Ends everything that runs there and removes all. */
  close(): Promise<void>
}

/** Commands that ask before they change a host. */
const asking = ['install', 'upgrade', 'uninstall', 'start', 'stop', 'restart', 'rollback']

/** Makes hosts db1, db2 … at 127.0.0.2, 127.0.0.3 …; nothing is installed there. */
export async function createWorld(count: number): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-w-'))
  const operator = createOperator(folder)
  const runtime = join(folder, 'node')
  writeTinyRuntime(runtime)
  const hosts = await Promise.all(Array.from({ length: count }, (_, index) => createHost(folder, index)))
  const options = ['plan', 'drift', 'install', 'upgrade'].reduce(
    (known, command) => known.set(command, ['--runtime-file', runtime]),
    new Map<string, readonly string[]>(),
  )
  const world: World = {
    folder,
    hosts,
    operator,
    host: (name) => {
      const found = hosts.find((host) => host.name === name)
      if (found === undefined) throw new Error(`no host ${name}`)
      return found
    },
    describe: (wanted = {}) => void operator.write('alpha.yaml', clusterFile({ hosts, ...wanted })),
    muster: (command, argv = [], run = {}) => {
      const yes = asking.includes(command) && run.typed === undefined ? ['--yes'] : []
      return operator.muster([command, ...yes, ...(options.get(command) ?? []), ...argv, 'alpha.yaml'], run)
    },
    close: async () => {
      for (const { directory } of hosts) endProcesses(directory)
      await Promise.all(hosts.map(({ server }) => server.close()))
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  world.describe()
  return world
}

async function createHost(folder: string, index: number): Promise<Host> {
  const name = `db${index + 1}`
  const address = `127.0.0.${index + 2}`
  // The folder above is not there yet, as /opt/somewhere may not be.
  const directory = join(folder, name, 'opt', 'muster')
  mkdirSync(join(folder, name))
  const tools = join(folder, 'tools', name)
  mkdirSync(tools, { recursive: true })
  const env = { PATH: `${tools}:${process.env.PATH ?? ''}`, HOME: tools }
  const server = await startSshServer({ address, env })
  const ports = {
    manager: await freePort(address),
    connector: await freePort(address),
    replicator: await freePort(address),
  }
  return {
    name,
    address,
    directory,
    tools,
    server,
    ports,
    clusterPort: await freePort(address),
    ssh: {
      user: login,
      port: server.port,
      identity: server.clientKeyPath,
      'known-hosts': server.knownHostsPath,
    },
    pids: () => pidsBelow(directory),
  }
}
