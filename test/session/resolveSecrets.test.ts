import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { muster } from '../../src/commands/muster.ts'
import { commandContext } from '../config/commandContext.ts'
import { good } from '../config/loadText.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

/** A cluster of one host that nobody reaches. */
const text = (password: string, users = ''): string =>
  good
    .replace('admin\n', `admin\n  rest-api-admin-password: ${password}\n${users}`)
    .replace('{ address: 10.0.0.11 }', '{ address: 127.0.0.1, ssh: { port: 1, timeout: 2s } }')

/** Exit code and words of a command about the file. */
async function ran(
  yaml: string,
  { argv, env = {} }: { readonly argv: readonly string[]; readonly env?: Readonly<Record<string, string>> },
) {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'muster.yaml'), yaml)
  writeFileSync(join(cwd, 'mark.sh'), 'echo started >> started; echo secret\n')
  const { context, out, err } = commandContext({ cwd, env: { PATH: process.env.PATH, HOME: cwd, ...env } })
  const code = await muster({ argv: [...argv], context })
  return { code, out: out(), err: err(), cwd }
}

/** Every command that reads secrets of the file to change hosts or to log in to them. */
const commands: readonly (readonly string[])[] = [
  ['plan'],
  ['plan', '--out', 'a.plan'],
  ['install', '--yes'],
  ['install', '--yes', '--json'],
  ['upgrade', '--yes'],
  ['rollback', '--yes'],
  ['users', 'apply', '--yes'],
  ['users', 'verify'],
  ['users', 'rotate', 'admin', '--yes'],
  ['cert', 'renew', '--yes'],
  ['cert', 'rotate-authority', '--yes'],
  ['cert', 'rotate-authority', '--lost', '--yes'],
]

describe.each(commands.map((argv) => [argv.join(' '), argv] as const))('muster %s', (_, argv) => {
  it('refuses a well-known password from a variable, as validate does, and changes nothing', async () => {
    const env = { ADMIN_PASS: 'secret' }
    const checked = await ran(text('!env ADMIN_PASS'), { argv: ['validate', '--resolve-secrets'], env })
    expect(checked.out).toContain('muster.yaml:4:33 error default-password\n')
    const { code, out, err, cwd } = await ran(text('!env ADMIN_PASS'), { argv, env })
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: checked.out })
    expect(existsSync(join(cwd, '.muster'))).toBe(false)
  })

  it('reports every unreadable secret at its place, and changes nothing', async () => {
    const yaml = text('!env ADMIN_PASS', '  rest-api-users: { ops: !file none }\n')
    const checked = await ran(yaml, { argv: ['validate', '--resolve-secrets'] })
    expect(checked.out).toMatch(/^muster\.yaml:4:33 error secret-unreadable\n/)
    const { code, out, err, cwd } = await ran(yaml, { argv })
    expect(code).toBe(1)
    expect(out).toBe('')
    // A rotation reads the passwords of its user alone.
    if (!argv.includes('rotate')) expect(err).toBe(checked.out)
    expect(err).toContain('muster.yaml:4:33 error secret-unreadable\n')
    expect(existsSync(join(cwd, '.muster'))).toBe(false)
  })
})

describe('the secrets that a command reads', () => {
  it('are those of the selected hosts, and no program runs for others', async () => {
    const yaml = text('!env ADMIN_PASS')
      .replace('members: [db1]', 'members: [db1, db2]')
      .replace(/$/, '  db2: { address: 10.0.0.12, options: { rest-api-admin-pass: !exec [sh, mark.sh] } }\n')
    const env = { ADMIN_PASS: 'Gloomy-Otter-Barn-41' }
    const one = await ran(yaml, { argv: ['users', 'verify', '--host', 'db1'], env })
    expect(one.err).not.toContain('default-password')
    expect(one.out).toContain('user-host-failed')
    expect(existsSync(join(one.cwd, 'started'))).toBe(false)
    const all = await ran(yaml, { argv: ['users', 'verify'], env })
    expect(all.err).toContain('error default-password')
    expect(readFileSync(join(all.cwd, 'started'), 'utf8')).toBe('started\n')
  })

  it('are none for users list: no program runs, and a variable may be missing', async () => {
    const yaml = text('!exec [sh, mark.sh]', '  rest-api-users: { ops: !env NONE, old: !file none }\n')
    const { cwd, err, out } = await ran(yaml, { argv: ['users', 'list'] })
    expect({ err, shown: out.includes('db1') }).toEqual({ err: '', shown: true })
    expect(existsSync(join(cwd, 'started'))).toBe(false)
  })

  it('are not printed if their program fails', async () => {
    const { err } = await ran(text('!exec [sh, -c, "echo hunter2; echo no hunter2 >&2; exit 3"]'), {
      argv: ['plan'],
    })
    expect(err).toMatch(/cannot be read: the program sh ended with code 3 and\s+said: no \[redacted\]\./)
    expect(err).not.toContain('hunter2')
  })

  it('may be weak if a comment on their line silences the finding', async () => {
    const env = { ADMIN_PASS: 'short' }
    const silenced = text('!env ADMIN_PASS # muster-ignore: weak-password it is a lab')
    expect((await ran(text('!env ADMIN_PASS'), { argv: ['users', 'verify'], env })).err).toContain(
      'warning weak-password',
    )
    expect((await ran(silenced, { argv: ['users', 'verify'], env })).err).toBe('')
  })
})
