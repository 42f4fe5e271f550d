import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { openBundle, readDescription } from '../../src/apply/openBundle.ts'
import { assumedFacts, renderedConfig } from '../../src/deployment/render/assumedFacts.ts'
import { bundleFiles } from '../../src/deployment/render/bundleFiles.ts'
import { renderHost } from '../../src/deployment/render/renderedHost.ts'
import { createIdentity } from '../../src/deployment/render/seal.ts'
import { targetOf } from '../deployment/steps/target.ts'
import { hostConfig } from '../support/deploymentValues.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const isRoot = process.getuid?.() === 0
const { identity, recipient } = await createIdentity()
const host = hostConfig()
const rendered = renderHost(targetOf({ host: renderedConfig(host), facts: assumedFacts(host, 'x64') }))
const files = await bundleFiles(rendered, {
  ...{ muster: '1.2.3', now: new Date(0), machineId: undefined, recipient },
  ...{ program: Buffer.from('apply'), runtime: gzipSync('node') },
})

/** Unpacks the bundle, with its key beside it. */
function unpacked(): { readonly folder: string; readonly key: string } {
  const top = temporaryFolder()
  const [folder, key] = [join(top, 'db1'), join(top, 'db1.key')]
  for (const file of files) {
    mkdirSync(dirname(join(folder, file.path)), { recursive: true })
    writeFileSync(join(folder, file.path), 'content' in file ? file.content : 'node')
  }
  writeFileSync(key, `# of db1\n${identity.reveal()}\n`, { mode: 0o600 })
  return { folder, key }
}

const open = (folder: string, key: string) =>
  openBundle(folder, { description: readDescription(folder), identity: key })

describe.skipIf(!isRoot)('opening a bundle (needs root)', () => {
  it('reads the plain files and the secrets', async () => {
    const { folder, key } = unpacked()
    const { description, plain, program, secrets } = await open(folder, key)
    expect(description.host).toMatchObject({ name: 'db1', installDirectory: '/opt/muster' })
    expect([...plain.keys()]).toContain('/opt/muster/share/tls/chain.pem')
    expect(program.toString()).toBe('the program')
    expect(secrets.users).toMatchObject([{ user: 'admin', password: 'the password' }])
  })

  it('refuses a key that is missing, a link, readable by others, or of another user', async () => {
    const { folder, key } = unpacked()
    const refused = { code: 'identity-unfit' }
    await expect(open(folder, `${key}.not`)).rejects.toMatchObject(refused)
    symlinkSync(key, `${key}.link`)
    await expect(open(folder, `${key}.link`)).rejects.toMatchObject(refused)
    chmodSync(key, 0o640)
    await expect(open(folder, key)).rejects.toMatchObject(refused)
    chmodSync(key, 0o600)
    execFileSync('chown', ['65534', key, dirname(key)])
    await expect(open(folder, key)).rejects.toMatchObject(refused)
  })

  it('refuses a key without an identity, and that of another host', async () => {
    const { folder, key } = unpacked()
    writeFileSync(key, 'nothing')
    await expect(open(folder, key)).rejects.toMatchObject({ code: 'no-identity' })
    writeFileSync(key, (await createIdentity()).identity.reveal())
    await expect(open(folder, key)).rejects.toMatchObject({ code: 'other-identity' })
  })

  it('refuses sums other than those that the secrets were sealed with', async () => {
    const { folder, key } = unpacked()
    writeFileSync(join(folder, 'SHA256SUMS'), 'other')
    await expect(open(folder, key)).rejects.toMatchObject({ code: 'bundle-changed' })
  })

  it('refuses a description of another version', () => {
    const { folder } = unpacked()
    writeFileSync(join(folder, 'bundle.json'), '{"version":2}')
    expect(() => readDescription(folder)).toThrow('is not of this version of muster')
  })
})
