import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { muster } from '../../src/commands/program.ts'

const commands = [
  'init',
  'validate',
  'config',
  'explain',
  'import',
  'export',
  'trust',
  'check',
  'logs',
  'exec',
  'plan',
  'install',
  'status',
  'start',
  'stop',
  'restart',
  'uninstall',
  'lock',
  'audit',
  'upgrade',
  'rollback',
  'users',
  'cert',
  'state',
  'diag',
  'schema',
  'completion',
]

const run = (...argv: string[]) => runWith({}, ...argv)

async function runWith(
  env: Readonly<Record<string, string>>,
  ...argv: string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const printed = { stdout: '', stderr: '' }
  const code = await muster({
    argv,
    context: {
      stdin: Readable.from([]),
      stdout: { write: (text) => (printed.stdout += text) },
      stderr: { write: (text) => (printed.stderr += text) },
      env,
      cwd: '/nowhere',
      now: () => new Date(0),
      signal: new AbortController().signal,
      packageDirectory: '/nowhere',
      version: '1.2.3',
    },
  })
  return { code, ...printed }
}

describe('the program muster', () => {
  it('prints its version', async () => {
    expect(await run('--version')).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' })
    expect(await run('-V')).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' })
  })

  it('lists its commands and what its exit codes mean', async () => {
    const { code, stdout, stderr } = await run('--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const listed = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)
    expect(listed).toEqual(commands)
    expect(stdout).toContain('0 done or clean, 1 failed or findings, 2 changes pending, 3 could not run')
    expect(stdout).toContain('4 some hosts unreachable, 5 locked, 130 interrupted.')
  })

  it.each(commands)('explains %s', async (command) => {
    const { code, stdout, stderr } = await run(command, '--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`Usage: muster ${command} `)
    expect(stdout).not.toMatch(/undefined|\[\]/)
  })

  it.each([
    ['a command that is misspelt', ['instal'], "error: unknown command 'instal'", '(Did you mean install?)'],
    [
      'a flag that is misspelt',
      ['install', '--jsno'],
      "error: unknown option '--jsno'",
      '(Did you mean --json?)',
    ],
    [
      'a value outside the choices',
      ['validate', '--format', 'xml'],
      'Allowed choices are text, json, sarif',
      '',
    ],
    [
      'an archive that is missing',
      ['state', 'export'],
      "required option '--out <archive>' not specified",
      '',
    ],
    ['two names where one is meant', ['init', 'a.yaml', 'b.yaml'], 'too many arguments', ''],
    ['a state command that is unknown', ['state', 'exprt'], "error: unknown command 'exprt'", 'export'],
  ])('answers %s with 3 and what to do', async (_, argv, message, suggestion) => {
    const { code, stdout, stderr } = await run(...argv)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).toContain(suggestion)
    expect(stderr).toMatch(/\n {2}fix: see `muster --help`, or --help of the command\.\n$/)
  })

  it('reads the file that MUSTER_FILE or the command line names, else muster.yaml', async () => {
    expect((await run('plan')).stderr).toContain('There is no file muster.yaml.')
    const env = { MUSTER_FILE: 'chosen.yaml' }
    expect((await runWith(env, 'plan')).stderr).toContain('There is no file chosen.yaml.')
    expect((await runWith(env, 'plan', 'other.yaml')).stderr).toContain('There is no file other.yaml.')
  })
})
