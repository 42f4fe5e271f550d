import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { openBundle, readDescription, readNode, readSums, removeCopies } from '../../src/apply/openBundle.ts'
import { sha256 } from '../../src/base/sha256.ts'
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
const of = {
  ...{ muster: '1.2.3', now: new Date(0), machineId: undefined, recipient },
  ...{ program: Buffer.from('apply'), runtime: gzipSync('node') },
}
const files = await bundleFiles(rendered, of)
const program = `root${rendered.release.program.path}`
const node = `root${rendered.runtime.folder}/node`

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

const open = (folder: string, key: string, vouched?: string) => {
  const sums = readSums(folder, vouched)
  return openBundle(folder, { description: readDescription(folder, sums), sums, identity: key })
}

/** Makes the sums of a bundle again, of the files that it lists. */
function sumAgain(folder: string): void {
  const path = join(folder, 'SHA256SUMS')
  const names = readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => line.slice(66) || [])
  const sums = names.map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`)
  writeFileSync(path, sums.join(''))
}

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
    const settings = join(folder, 'root/opt/muster/share/manager.json')
    appendFileSync(settings, ' ')
    await expect(open(folder, key)).rejects.toMatchObject({ code: 'bundle-changed' })
    sumAgain(folder)
    await expect(open(folder, key)).rejects.toThrow('is not the one that secrets.age was sealed with')
  })

  it('refuses sums other than those that were handed over with the key, also if secrets were sealed again', async () => {
    const { folder, key } = unpacked()
    const vouched = sha256(readFileSync(join(folder, 'SHA256SUMS')))
    expect((await open(folder, key, vouched)).description.cluster).toBe('alpha')
    const again = await bundleFiles(rendered, { ...of, muster: '1.2.4' })
    for (const file of again) if ('content' in file) writeFileSync(join(folder, file.path), file.content)
    expect((await open(folder, key)).description.muster).toBe('1.2.4')
    expect(() => readSums(folder, vouched)).toThrow('is not the one that --sums names')
  })

  it.each(['bundle.json', 'secrets.age', 'root/opt/muster/share/manager.json', program, node])(
    'refuses %s if it was exchanged after the sums were read',
    async (path) => {
      const { folder, key } = unpacked()
      const sums = readSums(folder)
      const description = readDescription(folder, sums)
      appendFileSync(join(folder, path), ' ')
      const read = async () => {
        readDescription(folder, sums)
        await openBundle(folder, { description, sums, identity: key })
        readNode(folder, description, sums)
      }
      await expect(read()).rejects.toMatchObject({
        code: 'bundle-changed',
        message: expect.stringContaining(path),
      })
    },
  )

  it('removes the copies that the script made, and no folder of another name', () => {
    const top = temporaryFolder()
    for (const name of ['.apply.x1', 'db1']) {
      mkdirSync(join(top, name))
      writeFileSync(join(top, name, 'muster-apply.cjs'), '')
      removeCopies(join(top, name, 'muster-apply.cjs'))
    }
    expect(readdirSync(top)).toEqual(['db1'])
  })

  it('refuses a description of another version', () => {
    const { folder } = unpacked()
    writeFileSync(join(folder, 'bundle.json'), '{"version":2}')
    sumAgain(folder)
    expect(() => readDescription(folder, readSums(folder))).toThrow('is not of this version of muster')
  })
})
