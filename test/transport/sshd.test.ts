import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectSsh } from '../../src/transport/ssh.ts'
import type { Transport } from '../../src/transport/transport.ts'
import { eventually } from '../support/eventually.ts'
import { hasSshd, type Sshd, startSshd } from '../support/sshd.ts'

let sshd: Sshd

const wanted = () => ({
  host: 'db1',
  address: '127.0.0.1',
  ssh: {
    port: sshd.port,
    identity: sshd.identity,
    knownHosts: sshd.knownHosts,
    become: true,
    timeout: 10_000,
  },
  env: { home: sshd.folder, user: 'root' },
})

const connect = (sleep?: () => Promise<void>): Promise<Transport> =>
  connectSsh({
    ...wanted(),
    readFile: (path) => readFile(path),
    ...(sleep === undefined ? {} : { sleep }),
  })

describe.skipIf(!hasSshd)('OpenSSH (needs root and /usr/sbin/sshd)', () => {
  beforeAll(async () => {
    sshd = await startSshd('127.0.0.1')
  })

  afterAll(() => sshd?.close())

  it('knows its hashed key, logs in, runs and writes, with MaxSessions 1', async () => {
    const transport = await connect()
    expect(await transport.run('id -u; cat; exit 4', { stdin: 'data' })).toEqual({
      code: 4,
      stdout: '0\ndata',
      stderr: '',
    })
    const path = join(sshd.folder, 'uploaded')
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
    await eventually(() => expect(existsSync(`/proc/${pid}`)).toBe(false))
  })

  it('ends the loop on the host when a run was given up', async () => {
    const transport = await connect()
    const pid = Number((await transport.run('echo $$')).stdout)
    await expect(transport.run('sleep 1', { timeout: 100 })).rejects.toMatchObject({ code: 'timeout' })
    await eventually(() => expect(existsSync(`/proc/${pid}`)).toBe(false))
  })

  it('that lets nobody in for the moment is tried again (MaxStartups 2:100:3)', async () => {
    const letGo = await sshd.hold(2)
    let slept = 0
    const transport = await connect(async () => {
      slept += 1
      await letGo()
    })
    expect(slept).toBeGreaterThan(0)
    expect((await transport.run('echo in')).stdout).toBe('in\n')
    await transport.close()
  })

  it('that stays so is given up after four attempts, and says what may be the reason', async () => {
    const letGo = await sshd.hold(2)
    let slept = 0
    const refused = connect(async () => {
      slept += 1
    })
    await expect(refused).rejects.toMatchObject({ code: 'no-ssh-banner' })
    await expect(refused).rejects.toMatchObject({ fix: expect.stringContaining('MaxStartups') })
    expect(slept).toBe(3)
    await letGo()
  })
})
