import { chmodSync, chownSync, lchownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { quote } from '../../src/base/shellWords.ts'
import {
  changeableFunction,
  requireTrustedRoot,
  untrustedFolder,
} from '../../src/deployment/trustedFolder.ts'
import { connectLocal } from '../../src/transport/local.ts'
import { hostConfig } from '../support/deploymentValues.ts'
import { rawResult } from '../support/rawResult.ts'

const nobody = 65534

describe.skipIf(process.getuid?.() !== 0)('the path of an install-directory (needs root)', () => {
  let folder = ''
  const at = (path: string): string => join(folder, path)
  const make = (path: string, mode = 0o755, owner = 0): string => {
    mkdirSync(at(path), { recursive: true })
    chmodSync(at(path), mode)
    chownSync(at(path), owner, owner)
    return at(path)
  }
  const link = (path: string, to: string, owner = 0): string => {
    symlinkSync(to, at(path))
    lchownSync(at(path), owner, owner)
    return at(path)
  }
  const said = async (script: string): Promise<string> => {
    const transport = await connectLocal({ host: 'db1', env: process.env })
    const { code, stdout, stderr } = rawResult(await transport.run(`${changeableFunction}\n${script}`))
    await transport.close()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  const found = (path: string): Promise<string> => said(`changeable ${quote(path)}`)

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "muster way'- $x "))
    chmodSync(folder, 0o755)
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is trusted if only root can change each part, also below /tmp', async () => {
    make('a')
    expect(await found(make('a/b'))).toBe('')
    expect(await found(make('a/c', 0o700))).toBe('')
    expect(await found('/')).toBe('')
  })

  it.each([
    ['belongs to another', 0o755, nobody, '65534 755'],
    ['a group may write', 0o775, 0, '0 775'],
    ['everybody may write', 0o757, 0, '0 757'],
    ['belongs to another, sticky or not', 0o1777, nobody, '65534 1777'],
  ])('is reported at the part that %s, in the middle and at the end', async (_what, mode, owner, words) => {
    const own = make('own', mode, owner)
    make('own/below')
    expect(await found(own)).toBe(`${own} ${words}\n`)
    expect(await found(at('own/below'))).toBe(`${own} ${words}\n`)
  })

  it('is reported at the first of several parts', async () => {
    const first = make('first', 0o777)
    make('first/second', 0o755, nobody)
    expect(await found(at('first/second'))).toBe(`${first} 0 777\n`)
  })

  it('may contain a sticky folder, but not end there', async () => {
    const sticky = make('sticky', 0o1777)
    expect(await found(make('sticky/own'))).toBe('')
    expect(await found(sticky)).toBe(`${sticky} 0 1777\n`)
    const theirs = make('sticky/theirs', 0o755, nobody)
    make('sticky/theirs/below')
    expect(await found(join(theirs, 'below'))).toBe(`${theirs} 65534 755\n`)
  })

  it('is checked at each folder and link that a link leads to', async () => {
    make('good')
    make('good/end')
    const theirs = make('theirs', 0o755, nobody)
    make('theirs/end')
    expect(await found(join(link('to-good', 'good'), 'end'))).toBe('')
    expect(await found(join(link('to-theirs', at('theirs')), 'end'))).toBe(`${theirs} 65534 755\n`)
    // It leads to root’s folder today, through a folder where the next link is another’s to replace.
    link('theirs/hop', '../good')
    expect(await found(join(link('by-hop', 'theirs/hop'), 'end'))).toBe(`${theirs} 65534 755\n`)
    expect(await found(join(link('dots', './good/../good/./'), 'end'))).toBe('')
  })

  it('is reported at a link of another user', async () => {
    make('sticky', 0o1777)
    make('good')
    const theirs = link('sticky/link', '../good', nobody)
    expect(await found(theirs)).toBe(`${theirs} 65534 777\n`)
    expect(await found(link('sticky/own', '../good'))).toBe('')
  })

  it('is not trusted if it is missing or a cycle of links', async () => {
    expect(await found(at('gone'))).toBe(`${at('gone')} - -\n`)
    link('round', 'round')
    expect(await found(at('round'))).not.toBe('')
  })

  it('is checked up to the nearest existing folder', async () => {
    const untrusted = (path: string) =>
      said(`root=${quote(path)}\n${requireTrustedRoot('echo "$found"; exit 0')}\necho trusted`)
    expect(await untrusted(at('new/folder'))).toBe('trusted\n')
    const theirs = make('theirs', 0o755, nobody)
    expect(await untrusted(join(theirs, 'new/folder'))).toBe(`${theirs} 65534 755\n`)
    // Root makes nothing where everybody can make it first.
    const sticky = make('sticky', 0o1777)
    expect(await untrusted(join(sticky, 'new'))).toBe(`${sticky} 0 1777\n`)
    // It is the login’s own risk where the login is not root.
    expect(
      await said(
        `id() { echo 1000; }\nroot=${quote(theirs)}\n${requireTrustedRoot('echo "$found"; exit 0')}\necho trusted`,
      ),
    ).toBe('trusted\n')
  })
})

describe('an untrusted install-directory', () => {
  const host = hostConfig({ installDirectory: '/home/svc/g' })

  it.each([
    ['/home/svc 1001 755', '/home/svc belongs to user id 1001'],
    ['/home/my svc 0 775', '/home/my svc can be changed by users other than root (mode 775)'],
  ])('is reported with its reason and fix: %s', (found, why) => {
    const { code, message, fix } = untrustedFolder(host, found)
    expect({ code, message }).toEqual({
      code: 'install-directory-untrusted',
      message: `/home/svc/g cannot be trusted: ${why}, who could replace what root runs there`,
    })
    expect(fix).toContain('such as /opt/muster. Or run on db1: chown -h root /home/')
  })
})
