import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAuthority } from '../../../src/certificates/authority.ts'
import { issueLeaf } from '../../../src/certificates/leaf.ts'
import { advanceRotation, beginRotation } from '../../../src/deployment/certificates/authorityRotation.ts'
import { readState } from '../../../src/deployment/state/openState.ts'
import { withPassphrasePrompt } from '../../../src/session/authorityPassphrase.ts'
import { commandContext } from '../../config/commandContext.ts'
import { type CertCluster, certCluster } from './cluster.ts'

let cluster: CertCluster
beforeEach(async () => {
  cluster = await certCluster()
})
afterEach(() => cluster.remove())

const typed = 'five random words\n'
const keyFile = () => cluster.path('.muster/alpha/authority.key')
const protect = (...more: string[]) =>
  cluster.cert(['protect-authority', '--passphrase-stdin', ...more], { typed })

describe('muster cert protect-authority', () => {
  it('encrypts only the key, and decrypts it with --remove', async () => {
    const before = readFileSync(keyFile(), 'utf8')
    const { code, stdout, stderr } = await protect()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.replaceAll(cluster.folder, '…')).toMatchInlineSnapshot(`
      "…/.muster/alpha/authority.key is protected by the passphrase; without it no certificate can be signed
      Copies that were made before, such as backups, are not: muster install, muster cert renew and muster cert rotate-authority ask from now on when they must sign.
      "
    `)
    expect(readFileSync(keyFile(), 'utf8')).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/)
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600)
    // What needs no signature never asks.
    expect((await cluster.cert(['export', '--out', 'ca.crt'])).code).toBe(0)
    expect((await protect('--remove')).code).toBe(0)
    expect(readFileSync(keyFile(), 'utf8')).toBe(before)
  })

  it('refuses a wrong or short passphrase, and a key that already has the wanted state', async () => {
    const short = await cluster.cert(['protect-authority', '--passphrase-stdin'], { typed: 'short' })
    expect(short).toMatchObject({ code: 3, stderr: expect.stringContaining('The passphrase is too short.') })
    expect(await protect('--remove')).toMatchObject({
      code: 3,
      stderr: "error: The authority's key is not protected.\n  fix: There is nothing to do.\n",
    })
    await protect()
    expect(await protect()).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('is already protected'),
    })
    const wrong = await cluster.cert(['protect-authority', '--remove', '--passphrase-stdin'], {
      typed: 'six random words',
    })
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('[authority-passphrase]') })
    expect(readFileSync(keyFile(), 'utf8')).toContain('ENCRYPTED')
  })

  it('has nothing to protect before the first installation', async () => {
    const text = readFileSync(cluster.path('alpha.yaml'), 'utf8')
    writeFileSync(cluster.path('alpha.yaml'), text.replace('cluster: alpha', 'cluster: beta'))
    expect(await protect()).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('There is no authority in'),
    })
  })

  it('makes a rotation ask once for the passphrase of both authorities', async () => {
    await protect()
    const state = (await readState({ directory: cluster.folder, cluster: 'alpha' }))?.state
    if (state?.authority === undefined) throw new Error('no authority')
    const { context } = commandContext({ cwd: cluster.folder, typed })
    const asking = withPassphrasePrompt(state, { context, authorityPassphraseStdin: true })
    if (asking.authority === undefined) throw new Error('no authority')
    const made = { cluster: 'alpha', now: new Date(), successorOf: asking.authority }
    const next = await createAuthority(made)
    // As it comes back from the disk, and on its way through the phases: standard input can be read once.
    const { certificate, key } = next
    const read = { ...state, rotation: { phase: 'trust' as const, next: { certificate, key } } }
    const again = withPassphrasePrompt(read, {
      context: commandContext({ typed }).context,
      authorityPassphraseStdin: true,
    })
    for (const begun of [beginRotation(asking, next), again]) {
      const { authority } = withPassphrasePrompt(advanceRotation(begun), { context })
      if (authority === undefined) throw new Error('no authority')
      const leaf = { authority, names: ['db1'], addresses: [], lifetimeDays: 1, now: new Date() }
      expect((await issueLeaf(leaf)).chain).toContain(certificate)
    }
  })

  it('makes later runs read the passphrase once, and fail without a source for it', async () => {
    await protect()
    writeFileSync(cluster.path('pass'), typed, { mode: 0o600 })
    const state = (await readState({ directory: cluster.folder, cluster: 'alpha' }))?.state
    if (state === undefined) throw new Error('no state')
    const sign = async (options: Omit<Parameters<typeof withPassphrasePrompt>[1], 'context'>, env = {}) => {
      const { context } = commandContext({ cwd: cluster.folder, env, typed })
      const { authority } = withPassphrasePrompt(state, { context, ...options })
      if (authority === undefined) throw new Error('no authority')
      const leaf = { authority, names: ['db1'], addresses: [], lifetimeDays: 1, now: new Date() }
      // Standard input can be read once.
      return (await Promise.all([issueLeaf(leaf), issueLeaf(leaf)])).length
    }
    expect(await sign({ authorityPassphraseFile: 'pass' })).toBe(2)
    expect(await sign({ authorityPassphraseStdin: true })).toBe(2)
    expect(await sign({}, { MUSTER_AUTHORITY_PASSPHRASE: typed.trim() })).toBe(2)
    await expect(sign({})).rejects.toMatchObject({
      message: "There is no terminal to ask for the passphrase of the authority's key.",
      fix: 'Pass it with --authority-passphrase-file FILE, with --authority-passphrase-stdin, or in the environment variable MUSTER_AUTHORITY_PASSPHRASE.',
    })
  })
})
