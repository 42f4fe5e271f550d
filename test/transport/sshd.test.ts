import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectSsh } from '../../src/transport/ssh.ts'
import type { Transport } from '../../src/transport/transport.ts'
import { knownHostsName, makeKey } from '../support/sshServer.ts'

const sshd = '/usr/sbin/sshd'
const possible = existsSync(sshd) && process.getuid?.() === 0

let folder: string
let daemon: ChildProcess
let port: number

/** A port that was free a moment ago: sshd cannot be told to choose one. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (bound === null || typeof bound === 'string') throw new Error('no port')
  return bound.port
}

const wanted = () => ({
  host: 'db1',
  address: '127.0.0.1',
  ssh: {
    port,
    identity: join(folder, 'id'),
    knownHosts: join(folder, 'known_hosts'),
    become: true,
    timeout: 10_000,
  },
  env: { home: folder, user: 'root' },
})

const connect = (sleep?: () => Promise<void>): Promise<Transport> =>
  connectSsh({
    ...wanted(),
    readFile: (path) => readFile(path),
    ...(sleep === undefined ? {} : { sleep }),
  })

describe.skipIf(!possible)('OpenSSH (needs root and /usr/sbin/sshd)', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-openssh-'))
    port = await freePort()
    const [rsa, ed25519, client] = [makeKey('rsa'), makeKey('ed25519'), makeKey('ed25519')]
    const files: readonly (readonly [string, string])[] = [
      ['rsa', rsa.private],
      ['ed25519', ed25519.private],
      ['id', client.private],
      ['authorized_keys', `${client.public}\n`],
      ['banner', 'Authorised use only\n'],
    ]
    for (const [name, text] of files) await writeFile(join(folder, name), text, { mode: 0o600 })
    // Hashed, as OpenSSH writes it on Debian: ssh-keygen itself is the judge of our reading.
    await writeFile(join(folder, 'known_hosts'), `${knownHostsName('127.0.0.1', port)} ${ed25519.public}\n`)
    execFileSync('ssh-keygen', ['-q', '-H', '-f', join(folder, 'known_hosts')], { stdio: 'ignore' })
    await writeFile(
      join(folder, 'config'),
      [
        'ListenAddress 127.0.0.1',
        `Port ${port}`,
        `HostKey ${join(folder, 'rsa')}`,
        `HostKey ${join(folder, 'ed25519')}`,
        `AuthorizedKeysFile ${join(folder, 'authorized_keys')}`,
        `Banner ${join(folder, 'banner')}`,
        'PidFile none',
        'StrictModes no',
        'UsePAM no',
        'PermitRootLogin prohibit-password',
        'AllowTcpForwarding no',
        'MaxSessions 1',
        'MaxStartups 2:100:3',
      ].join('\n'),
    )
    await mkdir('/run/sshd', { recursive: true })
    await chmod('/run/sshd', 0o755)
    daemon = spawn(sshd, ['-D', '-e', '-f', join(folder, 'config')], { stdio: ['ignore', 'ignore', 'pipe'] })
    const { stderr } = daemon
    if (stderr === null) throw new Error('no standard error')
    for await (const line of createInterface({ input: stderr })) if (line.includes('Server listening')) break
    stderr.resume()
  })

  afterAll(async () => {
    daemon?.kill()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  it('knows its hashed key, logs in, runs and writes, with MaxSessions 1', async () => {
    const transport = await connect()
    expect(await transport.run('id -u; cat; exit 4', { stdin: 'data' })).toEqual({
      code: 4,
      stdout: '0\ndata',
      stderr: '',
    })
    const path = join(folder, 'uploaded')
    await transport.upload({
      path,
      content: Buffer.alloc(20_000_000, 7),
      mode: 0o640,
      owner: 'daemon:daemon',
    })
    expect(await stat(path)).toMatchObject({ size: 20_000_000, uid: 1, gid: 1, mode: 0o100640 })
    await transport.close()
  })

  it('ends the loop on the host when the connection ends', async () => {
    const transport = await connect()
    const pid = Number((await transport.run('echo $$')).stdout)
    expect(existsSync(`/proc/${pid}`)).toBe(true)
    await transport.close()
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
  })

  it('ends the loop on the host when a run was given up', async () => {
    const transport = await connect()
    const pid = Number((await transport.run('echo $$')).stdout)
    await expect(transport.run('sleep 1', { timeout: 100 })).rejects.toMatchObject({ code: 'timeout' })
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 4000 }).toBe(false)
  })

  it('that lets nobody in for the moment is tried again (MaxStartups 2:100:3)', async () => {
    const held = [createConnection(port, '127.0.0.1'), createConnection(port, '127.0.0.1')]
    await Promise.all(held.map((socket) => once(socket, 'data')))
    let slept = 0
    const transport = await connect(async () => {
      slept += 1
      await Promise.all(
        held.map((socket) => (socket.destroyed ? undefined : once(socket.destroy(), 'close'))),
      )
      // sshd counts them until their processes are gone.
      await new Promise((resolve) => setTimeout(resolve, 200))
    })
    expect(slept).toBeGreaterThan(0)
    expect((await transport.run('echo in')).stdout).toBe('in\n')
    await transport.close()
  })

  it('that stays so is given up after four attempts, and says what may be the reason', async () => {
    const held = [createConnection(port, '127.0.0.1'), createConnection(port, '127.0.0.1')]
    await Promise.all(held.map((socket) => once(socket, 'data')))
    let slept = 0
    const refused = connect(async () => {
      slept += 1
    })
    await expect(refused).rejects.toMatchObject({ code: 'no-ssh-banner' })
    await expect(refused).rejects.toMatchObject({ fix: expect.stringContaining('MaxStartups') })
    expect(slept).toBe(3)
    for (const socket of held) socket.destroy()
  })
})
