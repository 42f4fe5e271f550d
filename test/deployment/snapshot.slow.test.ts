import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StartError } from '../../src/api/startError.ts'
import { readTls, readTlsAtStart } from '../../src/api/tlsCertificate.ts'
import { layoutOf } from '../../src/deployment/layout.ts'
import { serviceData } from '../../src/deployment/services/implementations.ts'
import { restoreScript } from '../../src/deployment/snapshot/restoreScript.ts'
import { takeScript } from '../../src/deployment/snapshot/takeScript.ts'
import { connectLocal } from '../../src/transport/local.ts'
import type { Transport } from '../../src/transport/transport.ts'
import { createServerCertificate, type ServerCertificate } from '../support/serverCertificate.ts'

const [first, second] = [createServerCertificate(), createServerCertificate()]

/** Key and chain are two renames, and a host may lose its power between them. */
describe.skipIf(process.platform !== 'linux')('key and chain of an interrupted host (needs Linux)', () => {
  let root = ''
  let tools = ''
  let transport: Transport
  const tls = () => ({ key: join(root, 'share/tls/key.pem'), chain: join(root, 'share/tls/chain.pem') })
  const names = () => readdirSync(join(root, 'share/tls')).sort()
  const write = ({ key, chain }: ServerCertificate): Promise<void> =>
    transport.upload(
      { path: join(root, 'share/tls/keystore.p12'), content: Buffer.from('store'), mode: 0o600 },
      { path: tls().key, content: Buffer.from(key), mode: 0o600 },
      { path: tls().chain, content: Buffer.from(chain), mode: 0o600 },
      { path: join(root, 'share/secrets.json'), content: Buffer.from('{}'), mode: 0o600 },
    )
  const atStart = (): ServerCertificate | undefined => {
    const { key, chain } = readTlsAtStart(tls())
    return [first, second].find((one) => one.key === key && one.chain === chain)
  }
  /** Lets the shell that renames be hit by a signal after its rename number `at`; says whether it was. */
  async function hit(signal: string, at: number, work: () => Promise<unknown>): Promise<boolean> {
    const count = join(tools, 'count')
    writeFileSync(count, '')
    const shim = `#!/bin/sh\nPATH=\${PATH#*:}\nmv "$@" || exit\nprintf x >> ${count}\nif [ "$(wc -c < ${count})" = ${at} ]; then kill -${signal} $PPID; fi\n`
    writeFileSync(join(tools, 'mv'), shim)
    chmodSync(join(tools, 'mv'), 0o755)
    await work().catch(() => undefined)
    rmSync(join(tools, 'mv'))
    return readFileSync(count).length >= at
  }

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'muster-cut-'))
    tools = mkdtempSync(join(tmpdir(), 'muster-mv-'))
    mkdirSync(join(root, 'share/tls'), { recursive: true })
    transport = await connectLocal({
      host: 'db1',
      env: { ...process.env, PATH: `${tools}:${process.env.PATH}` },
    })
    await write(first)
  })
  afterEach(async () => {
    await transport.close()
    for (const folder of [root, tools]) rmSync(folder, { recursive: true, force: true })
  })

  it('match wherever a write was interrupted, and the next run completes it', async () => {
    const shown: (ServerCertificate | undefined)[] = []
    let apart = 0
    for (let at = 1; ; at += 1) {
      await write(first)
      const cut = await hit('KILL', at, () => write(second))
      shown.push(atStart())
      if (!isPair()) apart += 1
      await write(second)
      expect(readTls(tls())).toMatchObject(second)
      expect(names()).toEqual(['chain.pem', 'key.pem', 'keystore.p12'])
      if (!cut) break
    }
    // After the keystore, the key, the chain, the passwords, and without a cut.
    expect(shown).toEqual([first, second, second, second, second])
    expect(apart).toBe(1)
  })

  it.each(['HUP', 'TERM'])('are written completely if the shell gets %s', async (signal) => {
    expect(await hit(signal, 2, () => write(second))).toBe(true)
    expect(readTls(tls())).toMatchObject(second)
    expect(names()).toEqual(['chain.pem', 'key.pem', 'keystore.p12'])
  })

  it('match wherever a restore was interrupted, and the next restore completes it', async () => {
    const installed = {
      cluster: 'alpha',
      layout: layoutOf(root),
      account: { user: 'root', isOther: false },
      data: serviceData('process', { root, cluster: 'alpha' }),
    }
    const back = restoreScript(installed, { fresh: false, users: '', data: '', drainTimeout: 0 })
    const remember = async () => expect((await transport.run(takeScript(installed))).code).toBe(0)
    let cuts = 0
    for (; ; cuts += 1) {
      await write(first)
      await remember()
      await write(second)
      const cut = await hit('KILL', cuts + 1, () => transport.run(back))
      expect(atStart()).toBeDefined()
      if (!cut) break
      // Without a snapshot, the restore was complete.
      if (existsSync(join(root, '.before'))) expect((await transport.run(back)).code).toBe(0)
      expect(readTls(tls())).toMatchObject(first)
      expect(names()).toEqual(['chain.pem', 'key.pem', 'keystore.p12'])
    }
    expect(cuts).toBeGreaterThan(3)
    expect(existsSync(join(root, '.before'))).toBe(false)
  })

  it('are reported as a mismatch if no staged file fits', () => {
    writeFileSync(tls().key, second.key)
    writeFileSync(join(root, 'share/tls/.chain.pem.muster-00'), 'half a')
    expect(atStart).toThrow(StartError)
    expect(atStart).toThrow(`the private key ${tls().key} does not match the certificate ${tls().chain}`)
  })

  const isPair = (): boolean => {
    try {
      return readTls(tls()).key !== ''
    } catch {
      return false
    }
  }
})
