import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createConnectionFolders } from '../../../src/transport/openssh/connectionFolders.ts'

let base: string
let temporary: string | undefined

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'base-'))
  temporary = process.env.TMPDIR
  process.env.TMPDIR = base
})

afterEach(async () => {
  if (temporary === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = temporary
  await rm(base, { recursive: true, force: true })
})

describe('the folders of connections by the system’s ssh', () => {
  it('are private, and go with the last of them', async () => {
    const folders = createConnectionFolders(process.env)
    const [one, two] = await Promise.all([folders.create(), folders.create()])
    const common = dirname(one.path)
    expect(dirname(two.path)).toBe(common)
    expect([(await stat(common)).mode & 0o777, (await stat(one.path)).mode & 0o777]).toEqual([0o700, 0o700])
    await writeFile(join(one.path, 'log'), '')
    await Promise.all([one.remove(), one.remove()])
    expect([existsSync(one.path), existsSync(two.path)]).toEqual([false, true])
    await two.remove()
    expect(existsSync(common)).toBe(false)
    const later = await folders.create()
    expect(dirname(later.path)).not.toBe(common)
    await later.remove()
  })

  it('are below /tmp where the name of the temporary folder leaves no room for a socket', async () => {
    process.env.TMPDIR = join(base, 'a'.repeat(60))
    const folder = await createConnectionFolders(process.env).create()
    expect(folder.path).toMatch(/^\/tmp\/muster-ssh-/)
    await folder.remove()
  })

  it('cannot be created where the temporary folder is missing, and then by the next one', async () => {
    const folders = createConnectionFolders(process.env)
    process.env.TMPDIR = join(base, 'gone')
    await expect(Promise.all([folders.create(), folders.create()])).rejects.toMatchObject({ code: 'ENOENT' })
    process.env.TMPDIR = base
    const folder = await folders.create()
    expect(folder.path.startsWith(base)).toBe(true)
    await folder.remove()
  })
})
