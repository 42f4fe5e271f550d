import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { eventually } from './eventually.ts'
import { freePort } from './ports.ts'
import { knownHostsName, makeKey } from './sshServer.ts'

const program = '/usr/sbin/sshd'

/** Whether OpenSSH's own server can be started here. */
export const hasSshd = existsSync(program) && process.getuid?.() === 0

/** OpenSSH's own server; root may log in with a key, and it forwards nothing unless told. */
export type Sshd = {
  readonly port: number
  /** Files of the one who logs in lie there. */
  readonly folder: string
  /** A private key that may log in. */
  readonly identity: string
  /** Names hashed, as Debian has it: ssh-keygen itself is the judge of our reading. */
  readonly knownHosts: string
  /** Connects without ever logging in, so often that nobody else is let in; settles with what lets go of them. */
  hold(count: number): Promise<() => Promise<void>>
  /** Reads its configuration again, which files that are new now may have changed. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** The pids of its children: one for each connection, also of those that have not logged in. */
const childrenOf = (pid: number | undefined): readonly string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')

/** Starts it with one session a connection (MaxSessions 1) and two logins at once (MaxStartups 2:100:3). */
export async function startSshd(
  address: string,
  {
    forwarding = false,
    settings = () => [],
  }: {
    readonly forwarding?: boolean
    /** Lines of sshd_config before all others; they may name files of the folder, which exist by then. */
    readonly settings?: (folder: string) => readonly string[]
  } = {},
): Promise<Sshd> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-openssh-'))
  const [identity, knownHosts] = [join(folder, 'id'), join(folder, 'known_hosts')]
  // sshd cannot be told to choose one.
  const port = await freePort(address)
  const [rsa, ed25519, client] = [makeKey('rsa'), makeKey('ed25519'), makeKey('ed25519')]
  const files: readonly (readonly [string, string])[] = [
    ['rsa', rsa.private],
    ['ed25519', ed25519.private],
    ['id', client.private],
    ['ed25519-public', ed25519.public],
    ['rsa-public', rsa.public],
    ['authorized_keys', `${client.public}\n`],
    ['banner', 'Authorised use only\n'],
    ['known_hosts', `${knownHostsName(address, port)} ${ed25519.public}\n`],
  ]
  for (const [name, text] of files) await writeFile(join(folder, name), text, { mode: 0o600 })
  execFileSync('ssh-keygen', ['-q', '-H', '-f', knownHosts], { stdio: 'ignore' })
  await writeFile(
    join(folder, 'config'),
    [
      ...settings(folder),
      `ListenAddress ${address}`,
      `Port ${port}`,
      `HostKey ${join(folder, 'rsa')}`,
      `HostKey ${join(folder, 'ed25519')}`,
      `AuthorizedKeysFile ${join(folder, 'authorized_keys')}`,
      `Banner ${join(folder, 'banner')}`,
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin prohibit-password',
      `AllowTcpForwarding ${forwarding ? 'yes' : 'no'}`,
      'MaxSessions 1',
      'MaxStartups 2:100:3',
    ].join('\n'),
  )
  await mkdir('/run/sshd', { recursive: true })
  await chmod('/run/sshd', 0o755)
  const daemon = spawn(program, ['-D', '-e', '-f', join(folder, 'config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lines = createInterface({ input: daemon.stderr })
  const listens = () =>
    new Promise<void>((resolve) => {
      const read = (line: string): void => {
        if (!line.includes('Server listening')) return
        lines.off('line', read)
        resolve()
      }
      lines.on('line', read)
    })
  await listens()
  return {
    port,
    folder,
    identity,
    knownHosts,
    hold: async (count) => {
      const others = childrenOf(daemon.pid)
      const held = Array.from({ length: count }, () => createConnection(port, address))
      await Promise.all(held.map((socket) => once(socket, 'data')))
      return async () => {
        await Promise.all(
          held.map((socket) => (socket.destroyed ? undefined : once(socket.destroy(), 'close'))),
        )
        // sshd counts them until their processes are gone.
        await eventually(() => {
          if (childrenOf(daemon.pid).some((pid) => !others.includes(pid)))
            throw new Error('sshd still counts them')
        })
      }
    },
    reload: async () => {
      const listening = listens()
      daemon.kill('SIGHUP')
      await listening
    },
    close: async () => {
      daemon.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
