import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { quote } from '../../src/base/shellWords.ts'
import {
  asService,
  maxUserFileBytes,
  readAs,
  setAsService,
  tailAs,
} from '../../src/deployment/serviceAccount.ts'
import { connectLocal } from '../../src/transport/local.ts'
import { rawResult } from '../support/rawResult.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const said = async (script: string): Promise<string> => {
  const transport = await connectLocal({ host: 'db1', env: process.env })
  const { stdout } = rawResult(await transport.run(script))
  await transport.close()
  return stdout
}
const nobody = { user: 'nobody', isOther: true }
/** What proc(5) says of the rights of a process. */
const look = `sh -c 'id -u; id -g; id -G; grep -E "^(CapEff|CapPrm|NoNewPrivs):" /proc/self/status | tr -s "\\t " " "'`

describe('the rights of the service user', () => {
  it('are unchanged if the login is not root', async () => {
    const { user } = { user: await said('id -un') }
    expect(asService({ user: user.trim(), isOther: false })).toBe('')
    expect(await said(`${setAsService({ user: 'root', isOther: false })}\n$as echo "[$as]"`)).toBe('[]\n')
  })

  it.skipIf(process.getuid?.() !== 0)(
    'are only its user and group, without capabilities or new privileges (needs root)',
    async () => {
      const group = (await said('id -g nobody')).trim()
      const expected = `65534\n${group}\n${group}\nCapPrm: 0000000000000000\nCapEff: 0000000000000000\nNoNewPrivs: 1\n`
      expect(await said(`${asService(nobody)}${look}`)).toBe(expected)
      expect(await said(`${setAsService(nobody)}\n$as ${look}`)).toBe(expected)
    },
  )

  it.skipIf(process.getuid?.() !== 0)('never run as root if there is no such user (needs root)', async () => {
    expect(await said(`${asService({ user: 'no such-user', isOther: true })}echo ran; :`)).toBe('')
  })
})

async function run(script: string) {
  const transport = await connectLocal({ host: 'db1', env: process.env })
  const { code, stdout } = rawResult(await transport.run(script, { timeout: 15_000 }))
  await transport.close()
  return { code, stdout }
}
const read = (path: string, bytes = 100) => run(readAs('', quote(path), bytes))
const tail = (path: string, lines = 2, bytes = 1000) => run(tailAs('', quote(path), { lines, bytes }))

/** What a service user can put in the place of a file; none of it may be followed or waited for. */
function traps(): { readonly [what: string]: string } {
  const folder = temporaryFolder()
  const at = (name: string): string => join(folder, name)
  writeFileSync(at('secret'), 'root:$y$secret\n')
  symlinkSync(at('secret'), at('link'))
  symlinkSync(at('gone'), at('dangling'))
  execFileSync('mkfifo', [at('pipe')])
  mkdirSync(at('folder'))
  const server = createServer().listen(at('socket'))
  onTestFinished(() => void server.close())
  return Object.fromEntries(
    ['link', 'dangling', 'pipe', 'folder', 'socket', 'none'].map((name) => [name, at(name)]),
  )
}

describe('a file of the service user', () => {
  it('is read completely, whatever its name and bytes', async () => {
    const path = join(temporaryFolder(), "a 'file' $(id)\n-")
    writeFileSync(path, 'first\tline\n\n  last')
    expect(await read(path)).toEqual({ code: 0, stdout: 'first\tline\n\n  last' })
  })

  it('is read up to the limit, also if it is sparse with 4 TB', async () => {
    const path = join(temporaryFolder(), 'users.json')
    writeFileSync(path, 'x'.repeat(300_000))
    expect((await read(path, 200_001)).stdout).toHaveLength(200_001)
    truncateSync(path, 4 * 1024 ** 4)
    const { stdout } = await run(`${readAs('', quote(path), maxUserFileBytes)} | wc -c`)
    expect(Number(stdout)).toBe(maxUserFileBytes)
  })

  it('is not read, without waiting, if it is a link, a pipe, a socket or a folder', async () => {
    for (const [what, path] of Object.entries(traps())) {
      expect({ what, stdout: (await read(path)).stdout }).toEqual({ what, stdout: '' })
    }
  })
})

describe('the end of a file of the service user', () => {
  it('has a limit of lines and bytes', async () => {
    const path = join(temporaryFolder(), "a 'log'")
    writeFileSync(path, 'one\ntwo\nthree\n')
    expect(await tail(path)).toEqual({ code: 0, stdout: 'two\nthree\n' })
    expect(await tail(path, 9, 8)).toEqual({ code: 0, stdout: 'o\nthree\n' })
    truncateSync(path, 4 * 1024 ** 4)
    expect((await tail(path, 9, 50)).stdout).toHaveLength(50)
  })

  it('includes the rotated file within the same limits', async () => {
    const path = join(temporaryFolder(), 'audit')
    writeFileSync(`${path}.1`, 'one\ntwo\n')
    expect((await tail(path)).stdout).toBe('one\ntwo\n')
    writeFileSync(path, 'three\n')
    expect((await tail(path)).stdout).toBe('two\nthree\n')
    expect((await tail(path, 9, 8)).stdout).toBe('o\nthree\n')
    symlinkSync(path, `${path}2.1`)
    expect((await tail(`${path}2`)).stdout).toBe('')
  })

  it('is empty, without waiting, for a link, a pipe, a socket or a folder', async () => {
    for (const [what, path] of Object.entries(traps())) {
      expect({ what, ...(await tail(path)) }).toEqual({ what, code: 0, stdout: '' })
    }
  })
})
