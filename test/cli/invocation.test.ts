import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asCalled, invocationOf } from '../../src/cli/invocation.ts'
import { writeDataTo } from '../../src/cli/terminal.ts'
import { programContext } from '../../src/cli/verbosity.ts'
import { muster } from '../../src/commands/muster.ts'
import { tapi } from '../../src/tapi/tapi.ts'
import { commandContext } from '../config/commandContext.ts'
import { root } from '../support/pages.ts'

const env = { PATH: '/usr/local/bin:/usr/bin' }
const called = (path: string | undefined, more = {}, cwd = '/home/ops') =>
  invocationOf('muster', { path, cwd, env: { ...env, ...more } })

/** Output of a program that was called in this way. */
async function shown(calledAs: string | undefined, argv: readonly string[], program = muster) {
  let text = ''
  const output = { write: (piece: string) => (text += piece) }
  const cwd = join(root, 'test/fixtures/config')
  const { context } = commandContext({ stdout: output, stderr: output, cwd })
  await program({ argv, context: { ...context, calledAs } })
  return text
}

describe('the way that a program was called', () => {
  it('is its name where the shell finds it, and where another program started it', () => {
    expect(called('/usr/local/bin/muster')).toBe('muster')
    expect(called('/home/ops/dist/muster.js')).toBe('muster')
    expect(called(undefined)).toBe('muster')
  })

  it('is npx with its name, or the path that was typed', () => {
    expect(called('/home/ops/node_modules/.bin/muster', { npm_command: 'exec' })).toBe('npx muster')
    expect(called('/home/ops/muster')).toBe('./muster')
    expect(called('/home/ops/bin/muster')).toBe('./bin/muster')
    expect(called('/opt/x/muster')).toBe('/opt/x/muster')
    expect(called('/opt/x/muster', {}, '/')).toBe('/opt/x/muster')
    expect(called('/opt/x/muster', {}, '/opt/y')).toBe('/opt/x/muster')
  })

  it('is its name where the path is long, or would need quotes', () => {
    for (const folder of ['/opt/a b', "/opt/it's", '/opt/\u001b[31m', '/opt/a\nb', '/opt/é', '/opt/$HOME']) {
      expect(called(`${folder}/muster`)).toBe('muster')
    }
    expect(called('/tmp/0123456789abcdef0123456789abcdef/muster')).toBe('muster')
    expect(called(`/${'opt/'.repeat(12)}muster`)).toBe('muster')
  })

  it('is a short text that a shell takes as it stands, for any path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (folder, cwd) => {
        expect(called(`/${folder}/muster`, {}, `/${cwd}`)).toMatch(/^[\w@+./-]{1,40}$/)
      }),
    )
  })
})

describe('hints', () => {
  it('name muster as it was called, in findings, in errors, in explanations and in help', async () => {
    expect(await shown('./muster', ['validate', 'users.yaml'])).toContain(
      'More about each: ./muster explain CODE',
    )
    expect(await shown('npx muster', ['audit', 'no-such.yaml', 'x'])).not.toMatch(/(?<!npx )muster audit/)
    expect(await shown('./muster', ['explain', 'log-level'])).not.toMatch(/(?<!\.\/)muster explain/)
    const help = await shown('./muster', ['help', 'plan'])
    expect(help).toContain('./muster plan --host')
    expect(help).toContain('`./muster --help`')
    expect(await shown(undefined, ['help', 'plan'])).not.toMatch(/\.\/muster (?:plan|--help)/)
    expect(await shown('./tapi', ['help', 'status'], tapi)).toContain('./tapi status')
  })

  it('keep the name in completion scripts, in JSON and in the words of a sentence', async () => {
    expect(await shown('./muster', ['completion', 'bash'])).toBe(
      await shown(undefined, ['completion', 'bash']),
    )
    const json = ['validate', 'users.yaml', '--format', 'json']
    expect(await shown('./muster', json)).toBe(await shown(undefined, json))
    const rename = asCalled({ name: 'muster', as: './muster' }, ['plan'])
    const kept = 'muster cannot plan. mymuster plan. /opt/muster plan. muster planning. npx muster plan.'
    expect(rename(kept)).toBe(kept)
    expect(rename('  3 | # muster plan')).toBe('  3 | # muster plan')
    expect(rename(rename('Run `muster plan`, or muster plan --out.'))).toBe(
      'Run `./muster plan`, or ./muster plan --out.',
    )
  })

  it('are not looked for in data, such as the logs of hosts', () => {
    let text = ''
    const stdout = { write: (piece: string) => (text += piece) }
    const { context } = commandContext({ stdout })
    const program = { name: 'muster', commands: ['install'] }
    const made = programContext({ ...context, calledAs: './muster' }, program).context
    writeDataTo(made.stdout, 'db1 run muster install\n')
    made.stdout.write('run muster install\n')
    expect(text).toBe('db1 run muster install\nrun ./muster install\n')
  })
})
