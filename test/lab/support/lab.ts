import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { baseImage, type DatabasePackage } from './baseImage.ts'
import { boot } from './container.ts'
import { eventually } from './eventually.ts'
import { execute, succeed } from './execute.ts'
import { labFolder, runsFolder } from './folders.ts'
import { createHostRoot } from './hostRoot.ts'
import type { Lab, LabHost, RunInput } from './labTypes.ts'
import { claim, clear, clearCrashed } from './leftovers.ts'
import { bridgeOf, machineOf } from './names.ts'
import { createNetwork } from './network.ts'
import { sharedNode } from './pinnedNode.ts'
import { ready } from './ready.ts'

type Site = {
  readonly run: string
  readonly id: string
  readonly bridge: string
  readonly hostsFile: string
  readonly keyPath: string
  readonly knownHostsPath: string
}

type Place = {
  readonly name: string
  readonly address: string
  readonly ops: boolean
  readonly node?: string | undefined
  readonly disk?: string | undefined
  readonly base: string
  readonly isEmulated: boolean
}

/** Does for an emulated host what its systemd-networkd cannot. */
async function configureNetwork(init: number, address: string): Promise<void> {
  const inside = (...args: string[]) => succeed('nsenter', ['--target', String(init), '--net', 'ip', ...args])
  await eventually('the network device of an emulated host', () => inside('link', 'show', 'host0'))
  await inside('address', 'add', `${address}/24`, 'dev', 'host0')
  await inside('link', 'set', 'host0', 'up')
}

/** Words of env(1) that make what sshd gives root. */
const rootShell = [
  ...['--chdir=/root', 'HOME=/root', 'USER=root', 'LOGNAME=root', 'SHELL=/bin/bash'],
  'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  ...['/bin/bash', '-c'],
]

async function startHost(site: Site, place: Place): Promise<LabHost> {
  const { name, address } = place
  const directory = join(site.run, 'hosts', name)
  mkdirSync(directory, { recursive: true })
  const publicKey = readFileSync(`${site.keyPath}.pub`, 'utf8')
  const root = await createHostRoot({ ...site, ...place, directory, publicKey })
  const start = async () => {
    const container = await boot({
      root,
      machine: machineOf(site.id, name),
      bridge: site.bridge,
      consoleLog: join(directory, 'console.log'),
    })
    if (place.isEmulated) await configureNetwork(container.init, address)
    return container
  }
  let container = await start()
  const run = (script: string, { stdin, timeout }: RunInput = {}) => {
    const words = ['--target', String(container.init), '--all', '--', 'env', '-i', ...rootShell, script]
    return execute('nsenter', words, {
      ...(stdin === undefined ? {} : { input: stdin }),
      timeout: timeout ?? 180_000,
    })
  }
  const waitUntilReady = () => ready(name, address, run)
  // systemd-nspawn(1), --network-bridge: the end of the cable on this machine's side.
  const link = async (state: 'up' | 'down'): Promise<void> => {
    await succeed('ip', ['link', 'set', 'dev', `vb-${machineOf(site.id, name)}`, state])
  }
  return {
    name,
    address,
    root: () => `/proc/${container.init}/root`,
    hostKey: () => readFileSync(join(root, 'etc/ssh/ssh_host_ed25519_key.pub'), 'utf8').trim(),
    run,
    waitUntilReady,
    kill: () => container.kill(),
    boot: async () => {
      container = await start()
      await waitUntilReady()
    },
    unplug: () => link('down'),
    plugIn: () => link('up'),
  }
}

/** Starts every host, and clears the whole lab when one of them does not come up. */
async function startHosts(site: Site, places: readonly Place[]): Promise<readonly LabHost[]> {
  const started = await Promise.allSettled(places.map((place) => startHost(site, place)))
  const hosts = started.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
  const known = hosts.flatMap(
    (host) => `${host.address} ${host.hostKey().split(' ').slice(0, 2).join(' ')}\n`,
  )
  writeFileSync(site.knownHostsPath, known.join(''))
  await Promise.all(hosts.map((host) => host.waitUntilReady()))
  return hosts
}

/** Labs of this process that were started and not stopped. */
export const runningLabs = new Set<Lab>()

type Based = { readonly name: string; readonly base: string }

/** Finds the base of each host; those that are not there yet are built one after another. */
async function basesOf(folder: string, wanted: Parameters<typeof startLab>[0]): Promise<readonly Based[]> {
  const found: Based[] = []
  for (const name of wanted.hosts) {
    const base = await baseImage(folder, {
      packages: wanted.packages,
      suite: wanted.suites?.[name] ?? wanted.suite,
      database: wanted.database,
      arm64: wanted.arm64?.includes(name),
    })
    found.push({ name, base })
  }
  return found
}

/**
 * Boots Debian hosts with systemd and sshd on a bridge of their own, ready when it settles.
 * `ops` names the hosts that also have a user `ops` with password-less sudo. `stop()` removes every trace;
 * what a crashed lab left is removed at the next start.
 */
export async function startLab(wanted: {
  readonly hosts: readonly string[]
  readonly ops?: readonly string[]
  /** Debian packages that the hosts have besides the usual ones. */
  readonly packages?: readonly string[]
  /** True for hosts with a Node.js of their own, to which an installation sends none. */
  readonly node?: boolean
  /** Release of Debian of all hosts; that of this machine unless told. */
  readonly suite?: string | undefined
  /** Release of Debian by host, where one has another. */
  readonly suites?: Readonly<Record<string, string>>
  /** The server of databases of the hosts; MariaDB unless told. */
  readonly database?: DatabasePackage | undefined
  /** Folder of the hosts that is a disk of its own. */
  readonly disk?: string
  /** Hosts whose processor is an emulated arm64; they have neither `packages` nor a database. */
  readonly arm64?: readonly string[]
}): Promise<Lab> {
  const folder = labFolder()
  await clearCrashed(runsFolder(folder))
  const bases = await basesOf(folder, wanted)
  const id = randomBytes(3).toString('hex')
  const run = join(runsFolder(folder), id)
  const directory = join(run, 'operator')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  claim(run, id)
  try {
    const network = await createNetwork(bridgeOf(id))
    const node = wanted.node === true ? await sharedNode() : undefined
    const places = bases.map(({ name, base }, number) => ({
      name,
      base,
      address: network.address(number),
      ops: wanted.ops?.includes(name) === true,
      node,
      disk: wanted.disk,
      isEmulated: wanted.arm64?.includes(name) === true && process.arch !== 'arm64',
    }))
    const keyPath = join(directory, 'id_ed25519')
    const knownHostsPath = join(directory, 'known_hosts')
    await succeed('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'lab', '-f', keyPath])
    const lines = ['127.0.0.1 localhost', '::1 localhost', ...places.map((p) => `${p.address} ${p.name}`)]
    const hostsFile = `${lines.join('\n')}\n`
    const site = { run, id, bridge: network.bridge, hostsFile, keyPath, knownHostsPath }
    const hosts = await startHosts(site, places)
    const lab: Lab = {
      directory,
      keyPath,
      knownHostsPath,
      hosts: Object.fromEntries(hosts.map((host) => [host.name, host])),
      unusedAddress: network.address(200),
      stop: async () => {
        runningLabs.delete(lab)
        await clear(run)
      },
    }
    runningLabs.add(lab)
    return lab
  } catch (error) {
    await clear(run)
    throw error
  }
}
