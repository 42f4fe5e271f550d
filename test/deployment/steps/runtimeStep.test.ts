import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sha256 } from '../../../src/base/sha256.ts'
import { runtimeStep } from '../../../src/deployment/steps/runtimeStep.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import type { Transport } from '../../../src/transport/transport.ts'
import { hostFacts } from '../../support/deploymentValues.ts'
import { runtime, targetOf } from './target.ts'

const program = '#!/bin/sh\necho v24.0.0\n'

let folder: string
let transport: Transport

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-runtime-'))
  await mkdir(join(folder, 'runtimes'))
  transport = await connectLocal({ host: 'here', env: process.env })
})

afterEach(async () => {
  await transport.close()
  await rm(folder, { recursive: true, force: true })
})

/** Sends these bytes as the runtime, said to have that digest. */
async function send(bytes: Buffer, digest = sha256(bytes)): Promise<void> {
  const target = targetOf({ host: { installDirectory: folder } })
  await runtimeStep(target, () => ({ bytes, sha256: digest })).apply(transport, hostFacts())
}

const place = (): string => join(folder, 'runtimes', runtime.id)

describe('runtimeStep', () => {
  it('unpacks and runs the runtime and leaves no other file', async () => {
    await send(gzipSync(program))
    expect(await readFile(join(place(), 'node'), 'utf8')).toBe(program)
    expect((await stat(join(place(), 'node'))).mode & 0o777).toBe(0o755)
    expect((await readdir(place())).toSorted()).toEqual(['.complete', 'node'])
    expect(await readdir(join(folder, 'runtimes'))).toEqual([runtime.id])
  })

  it('rejects a wrong checksum before it unpacks or runs anything', async () => {
    const ran = join(folder, 'ran')
    const evil = gzipSync(`#!/bin/sh\n: > ${ran}\necho v24.0.0\n`)
    await expect(send(evil, sha256(gzipSync(program)))).rejects.toMatchObject({
      message: expect.stringContaining('the checksum of the binary does not match'),
    })
    expect(existsSync(ran)).toBe(false)
    expect(existsSync(place())).toBe(false)
  })

  it.each([
    ['cut off', (packed: Buffer) => packed.subarray(0, -4), 'unexpected end of file'],
    [
      'of another checksum',
      (packed: Buffer) => Buffer.concat([packed.subarray(0, -8), Buffer.alloc(8)]),
      'crc error',
    ],
    ['no gzip', () => Buffer.from(program), 'not in gzip format'],
  ])('fails with the message of gzip for a file that is %s', async (_, spoil, words) => {
    await expect(send(spoil(gzipSync(program)))).rejects.toMatchObject({
      message: expect.stringContaining(words),
    })
    expect(existsSync(place())).toBe(false)
  })
})
