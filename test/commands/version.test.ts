import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { muster } from '../../src/commands/muster.ts'
import { commandContext } from '../config/commandContext.ts'

describe('muster version', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-version-'))
    const file = `cluster: alpha
defaults: { install-directory: ${folder}/never-installed }
services: { alpha: { topology: clustered, master: db1, members: [db1] } }
hosts: { db1: { connection: local } }
`
    writeFileSync(join(folder, 'local.yaml'), file)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const run = async (...argv: string[]) => {
    const { context, out, err } = commandContext({ cwd: folder, env: { ...process.env, HOME: folder } })
    return { code: await muster({ argv: ['version', ...argv], context }), out: out(), err: err() }
  }

  it('shows the program alone where there is no file, and with --client', async () => {
    const alone = { code: 0, out: 'muster 0.1.0\n', err: '' }
    expect(await run()).toEqual(alone)
    expect(await run('--client', 'local.yaml')).toEqual(alone)
    expect(JSON.parse((await run('--json')).out)).toEqual({ muster: '0.1.0', hosts: [] })
  })

  it('asks the hosts of the file', async () => {
    const { code, out, err } = await run('local.yaml')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toBe('muster 0.1.0\n\nHOST  VERSION        RELEASE\ndb1   not installed\n')
    expect(JSON.parse((await run('local.yaml', '--json')).out)).toEqual({
      muster: '0.1.0',
      hosts: [{ host: 'db1', state: 'not-installed' }],
    })
  })

  it('reports a file that is named and does not exist', async () => {
    const { code, out, err } = await run('other.yaml')
    expect({ code, out }).toEqual({ code: 3, out: '' })
    expect(err).toContain('There is no file other.yaml.')
  })

  it.each(['--host', '--limit'])('takes %s, and lists the hosts where none matches', async (option) => {
    expect(await run('local.yaml', option, 'db[1-3]')).toMatchObject({ code: 0, err: '' })
    const { code, err } = await run('local.yaml', option, 'web*')
    expect(code).toBe(3)
    expect(err).toContain("error: no host in alpha matches 'web*'\n  fix: The file has db1;")
  })

  describe('--verify', () => {
    const content = 'not an executable'
    const listed = (name: string, text = content): string =>
      `${createHash('sha256').update(text).digest('hex')}  ${name}\n`
    const put = (name: string, text: string): void => {
      mkdirSync(join(folder, 'files'), { recursive: true })
      writeFileSync(join(folder, 'files', name), text)
    }
    const verify = (...argv: string[]) => run('--verify', ...argv)

    it('says that a file is as listed, and that a list proves nothing about who made it', async () => {
      put('muster', content)
      put('SHA256SUMS', listed('other', 'x') + listed('muster'))
      const { code, out, err } = await verify('files/muster')
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).toContain('files/muster: not an executable, an archive or a Debian package\n')
      expect(out).toContain('The list is not signed')
    })

    it('fails for a file that differs from its list, or that the list does not name', async () => {
      put('SHA256SUMS', listed('muster', 'other'))
      expect(await verify('files/muster')).toMatchObject({
        code: 1,
        err: expect.stringMatching(
          /differs from .*SHA256SUMS\n {2}file {4}[0-9a-f]{64}\n {2}listed {2}[0-9a-f]{64}\n/,
        ),
      })
      put('SHA256SUMS', listed('muster2'))
      expect(await verify('files/muster')).toMatchObject({
        code: 1,
        err: expect.stringContaining('no line for muster\n'),
      })
    })

    it('takes the list from another place', async () => {
      put('trusted', listed('muster'))
      expect(await verify('files/muster', '--checksums', 'files/trusted')).toMatchObject({ code: 0, err: '' })
    })

    it('takes a list whose lines end with CR LF', async () => {
      put('SHA256SUMS', listed('other', 'x').replace('\n', '\r\n') + listed('muster').replace('\n', '\r\n'))
      expect(await verify('files/muster')).toMatchObject({ code: 0, err: '' })
    })

    it.each([0, 1])(
      'fails for a name that is listed twice with different digests, in either order (%i)',
      async (first) => {
        const lines = [listed('muster'), listed('muster', 'other')]
        put('SHA256SUMS', first === 0 ? lines.join('') : lines.reverse().join(''))
        expect(await verify('files/muster')).toMatchObject({
          code: 1,
          err: expect.stringContaining('differs from'),
        })
        put('SHA256SUMS', listed('muster').repeat(2))
        expect(await verify('files/muster')).toMatchObject({ code: 0, err: '' })
      },
    )

    it('shows a name with a line feed or a colour on one line, as it is', async () => {
      const name = 'muster: complete\n\x1b[31mSHA-256'
      put(name, content)
      const { code, out, err } = await verify(`files/${name}`)
      expect(code).toBe(1)
      expect(out).toBe(
        'files/muster: complete\\x0a\\x1b[31mSHA-256: not an executable, an archive or a Debian package\n',
      )
      expect(err).toContain('no line for muster: complete\\x0a\\x1b[31mSHA-256\n')
    })

    it.each([
      ['files/muster', 'one file'],
      ['--json', '--json'],
      ['--client', '--client'],
    ])('refuses %s behind it: a second file would look verified, too', async (word, reason) => {
      put('SHA256SUMS', listed('muster'))
      expect(await verify('files/muster', word)).toMatchObject({
        code: 3,
        out: '',
        err: expect.stringContaining(reason),
      })
    })

    it.each([
      ['files/absent', 'does not exist'],
      ['files', 'is a folder'],
    ])('cannot run for %s, which %s', async (name, reason) => {
      expect(await verify(name)).toMatchObject({ code: 3, err: expect.stringContaining(reason) })
    })

    it('cannot run without a list, and names the two ways to give one', async () => {
      rmSync(join(folder, 'files/SHA256SUMS'))
      const { code, err } = await verify('files/muster')
      expect(code).toBe(3)
      expect(err).toContain('SHA256SUMS does not exist')
      expect(err).toContain('--checksums')
      expect((await run('--checksums', 'x')).code).toBe(3)
    })
  })
})
