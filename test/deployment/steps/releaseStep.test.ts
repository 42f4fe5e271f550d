import { chmod, lstat, mkdir, mkdtemp, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises'
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
async function send(program: string, user: string): Promise<string> {
  const path = join(folder, 'node')
  await writeFile(path, program)
  await chmod(path, 0o755)
  const target = targetOf({ host: { installDirectory: folder } })
  const bundle = Buffer.from('the program')
  await releaseStep({
    ...target,
    service: { ...target.service, user },
    runtime: { kind: 'host', path, version: 'v24.0.0' },
    release: { ...target.release, program: { bundle, sha256: sha256(bundle) } },
  }).apply(transport, hostFacts())
  return join(folder, 'releases', target.release.id)
}

describe('releaseStep', () => {
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
