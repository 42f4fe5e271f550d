import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { gatherFacts } from '../../../src/deployment/facts/gather.ts'
import type { HostFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { layoutOf } from '../../../src/deployment/layout.ts'
import { maxUserFileBytes } from '../../../src/deployment/serviceAccount.ts'
import { serviceData } from '../../../src/deployment/services/implementations.ts'
import { connectLocal } from '../../../src/transport/local.ts'

describe.skipIf(process.getuid?.() !== 0)('gatherFacts with files of another user (needs root)', () => {
  let folder = ''
  const nobody = 65534
  const data = () => serviceData('process', { root: folder, cluster: 'alpha' })
  const facts = async (): Promise<HostFacts> => {
    const transport = await connectLocal({ host: 'here', env: process.env })
    const is = await gatherFacts(transport, { cluster: 'alpha', layout: layoutOf(folder), hostStores: [] })
    await transport.close()
    return is
  }
  const users = async (): Promise<string | undefined> =>
    (await facts()).installation.users?.reveal().slice(0, 100)

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "muster facts'-"))
    const layout = layoutOf(folder)
    chmodSync(folder, 0o755)
    mkdirSync(layout.share)
    mkdirSync(data().state)
    chownSync(data().state, nobody, nobody)
    writeFileSync(layout.account, 'process nobody\n')
    writeFileSync(join(folder, 'shadow'), 'root:hash', { mode: 0o600 })
  })

  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('reads the user file as that user', async () => {
    writeFileSync(data().usersFile, 'the users', { mode: 0o600 })
    expect((await facts()).installation).not.toHaveProperty('users')
    chownSync(data().usersFile, nobody, nobody)
    expect(await users()).toBe('the users')
    expect((await facts()).installation.account).toEqual({ place: 'process', user: 'nobody' })
  })

  it.each([
    ['a link to a file of root', () => symlinkSync('../shadow', data().usersFile)],
    ['a pipe', () => execFileSync('mkfifo', [data().usersFile])],
    ['a folder', () => mkdirSync(data().usersFile)],
  ])('reads no users from %s, without waiting', async (_what, put) => {
    put()
    const { installation } = await facts()
    expect(installation).not.toHaveProperty('users')
    expect(installation.directories.get(data().state)?.owner).toBe('nobody:nogroup')
  })

  it('reads a bounded part of a sparse file and lists or hashes nothing else there', async () => {
    writeFileSync(data().usersFile, 'x')
    truncateSync(data().usersFile, 4 * 1024 ** 4)
    writeFileSync(join(data().state, 'a\nnode\tevil\tv24.0.0\tyes'), '')
    truncateSync(join(data().state, 'a\nnode\tevil\tv24.0.0\tyes'), 4 * 1024 ** 4)
    const here = await facts()
    expect(here.installation.users?.reveal()).toHaveLength(maxUserFileBytes)
    expect([...here.installation.files.keys()].filter((path) => path.includes('/data/'))).toEqual([])
    expect(here.node?.path).not.toBe('evil')
  })

  it('reads nothing if others could replace the installation', async () => {
    chownSync(folder, nobody, nobody)
    writeFileSync(layoutOf(folder).manifest, '{}')
    const { untrusted, installation } = await facts()
    expect(untrusted).toBe(`${folder} 65534 755`)
    expect(installation).toMatchObject({ exists: false, releases: [] })
    expect(installation).not.toHaveProperty('manifest')
  })
})
