import { existsSync } from 'node:fs'
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sha256 } from '../../../src/base/sha256.ts'
import { musterApiCommand } from '../../../src/deployment/musterApiCommand.ts'
import { releaseStep } from '../../../src/deployment/steps/releaseStep.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import type { Transport } from '../../../src/transport/transport.ts'
import { hostFacts } from '../../support/deploymentValues.ts'
import { targetOf } from './target.ts'

/** Stands for Node.js: keeps compiled code as Node.js does, in a folder that ends in the user's number. */
const node = `#!/bin/sh
mkdir -p "$NODE_COMPILE_CACHE/v24-x64-abc-$(id -u)"
(umask 077; : > "$NODE_COMPILE_CACHE/v24-x64-abc-$(id -u)/code")
`

let folder: string
let transport: Transport

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-release-'))
  await mkdir(join(folder, 'releases'))
  transport = await connectLocal({ host: 'here', env: process.env })
})

afterEach(async () => {
  await transport.close()
  await rm(folder, { recursive: true, force: true })
})

/** Sends a release that is run by this program, to services of this user. */
async function send(
  program: string,
  user: string,
  { bundle = Buffer.from('the program'), to = transport, digest = sha256(bundle) } = {},
): Promise<string> {
  const path = join(folder, 'node')
  await writeFile(path, program)
  await chmod(path, 0o755)
  const target = targetOf({ host: { installDirectory: folder } })
  await releaseStep({
    ...target,
    service: { ...target.service, user },
    runtime: { kind: 'host', path, version: 'v24.0.0' },
    release: { ...target.release, program: { bundle, sha256: digest } },
  }).apply(to, hostFacts())
  return join(folder, 'releases', target.release.id)
}

/** Bytes that OpenSSH takes on a channel before it has responded (CHAN_SES_WINDOW_DEFAULT in channels.h). */
const openSshWindow = 2 * 1024 * 1024

describe('releaseStep', () => {
  it('sends a program larger than the window of OpenSSH within it, so that nothing waits for a response', async () => {
    const bundle = Buffer.alloc(openSshWindow + 1024, 'the program ')
    const sent: number[] = []
    const to: Transport = {
      ...transport,
      run: (script, options = {}) => {
        if (!Buffer.isBuffer(options.stdin)) throw new Error('sends no bytes')
        sent.push(script.length + options.stdin.length)
        return transport.run(script, options)
      },
    }
    const release = await send('#!/bin/sh\n', 'daemon', { bundle, to })
    expect(sent.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(openSshWindow)
    expect((await readFile(join(release, 'muster-api.cjs'))).equals(bundle)).toBe(true)
  })

  it('rejects a program of another checksum before it runs', async () => {
    const ran = join(folder, 'ran')
    await expect(
      send(`#!/bin/sh\n: > ${ran}\n`, 'daemon', { digest: sha256('another program') }),
    ).rejects.toMatchObject({
      message: expect.stringContaining('the checksum of the program does not match'),
    })
    expect(existsSync(ran)).toBe(false)
  })

  it('keeps the compiled code of its first run readable for the service user', async () => {
    const release = await send(node, 'daemon')
    const own = `v24-x64-abc-${process.getuid?.()}`
    const compiled = join(release, '.compiled')
    const daemon = (await transport.run('id -u daemon')).stdout.raw().trim()
    expect((await readdir(compiled)).toSorted()).toEqual([own, `v24-x64-abc-${daemon}`].toSorted())
    expect(await readlink(join(compiled, `v24-x64-abc-${daemon}`))).toBe(own)
    expect((await stat(join(compiled, own))).mode & 0o777).toBe(0o755)
    expect((await stat(join(compiled, own, 'code'))).mode & 0o777).toBe(0o644)
  })

  it('works without compiled code', async () => {
    const { stdout } = await transport.run('id -un')
    const release = await send(node, stdout.raw().trim())
    const own = `v24-x64-abc-${process.getuid?.()}`
    expect(await readdir(join(release, '.compiled'))).toEqual([own])
    expect(await readdir(join(release, '.compiled', own))).toEqual(['code'])
    expect((await lstat(join(release, 'muster-api.cjs'))).mode & 0o777).toBe(0o644)
    const without = await send('#!/bin/sh\n', 'daemon')
    expect((await readdir(without)).toSorted()).toEqual(['.complete', 'muster-api.cjs', 'node'])
  })

  it('removes the release if its program does not run', async () => {
    await expect(send('#!/bin/sh\necho broken >&2\nexit 1\n', 'daemon')).rejects.toMatchObject({
      message: expect.stringContaining('broken'),
    })
    expect(await readdir(join(folder, 'releases'))).toEqual([])
  })

  it('runs the program with the same command in every folder', () => {
    expect(musterApiCommand('/opt/my muster/current', 'call')).toBe(
      "NODE_COMPILE_CACHE='/opt/my muster/current/.compiled' '/opt/my muster/current/node' '/opt/my muster/current/muster-api.cjs' call",
    )
  })
})
