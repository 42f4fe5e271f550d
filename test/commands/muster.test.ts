import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { loadCommand } from '../../src/cli/cliCommand.ts'
import { groups } from '../../src/commands/commandRow.ts'
import { commandTable } from '../../src/commands/commandTable.ts'
import { muster, musterProgram } from '../../src/commands/muster.ts'
import { commandContext } from '../config/commandContext.ts'

/** Commands by their heading in the help. */
const listed: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(groups).map((title) => [
    title,
    [
      ...commandTable.flatMap(({ name, group }) => (group === title ? name : [])),
      ...(title === groups.program ? ['help'] : []),
    ],
  ]),
)
const commands = Object.values(listed).flat()

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

  it('lists its commands and exit codes in the help', async () => {
    const { code, stdout, stderr } = await run('--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [lists = ''] = stdout.split('\nOptions:')
    const parts = [...lists.matchAll(/^([\w ]+):\n((?: {2,}.*\n)+)/gm)]
    const found = parts.map(([, title = '', lines = '']) => [title, lines.match(/(?<=^ {2})\w+/gm) ?? []])
    expect(Object.fromEntries(found)).toEqual(listed)
    expect(found.map(([title]) => title)).toEqual(Object.keys(listed))
    const text = stdout.replaceAll(/\s+/g, ' ')
    expect(text).toContain('0 done or clean, 1 failed or findings, 2 changes pending, 3 could not run')
    expect(text).toContain('4 some hosts unreachable, 5 locked, 6 done but incomplete, 130 interrupted.')
  })

  it.each(commands)('explains %s', async (command) => {
    const { code, stdout, stderr } = await run(command, '--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`Usage: muster ${command} `)
    expect(stdout).not.toMatch(/undefined|\[\]/)
  })

  it.each([[[]], [['install']], [['users']], [['users', 'rotate']], [['help']]])(
    'prints the same for help %j as for --help of that command',
    async (words) => {
      const shown = await run('help', ...words)
      expect(shown).toEqual(await run(...words, '--help'))
      expect(shown).toMatchObject({ code: 0, stderr: '' })
    },
  )

  it.each([
    [['help', 'usrs'], "'usrs'", 'Did you mean `muster users`? Otherwise see `muster --help`.'],
    [['help', 'users', 'frob'], "'frob'", 'See `muster users --help`.'],
    [['list'], "'list'", 'Did you mean `muster users list` or `muster cert list`? Otherwise see `muster'],
    [['frobnicate'], "'frobnicate'", 'See `muster --help`.'],
    [['who'], "'who'", 'See `muster --help`.'],
  ])('suggests only similar commands for %j', async (argv, word, fix) => {
    const { code, stdout, stderr } = await run(...argv)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(`error: unknown command ${word}\n  fix: ${fix}`)
  })

  it('suggests only similar options, and shows no value of an unknown one', async () => {
    const { code, stderr } = await run('plan', '--rest-api-pass=secret')
    expect(code).toBe(3)
    expect(stderr).toBe("error: unknown option '--rest-api-pass'\n  fix: See `muster plan --help`.\n")
  })

  it.each([
    ['a misspelt command', 'instal', "unknown command 'instal'", 'Did you mean `muster install`?', 'muster'],
    [
      'a misspelt option',
      'install --jsno',
      "unknown option '--jsno'",
      'Did you mean --json?',
      'muster install',
    ],
    ['a value outside the choices', 'validate --format xml', 'are text, json, sarif', '', 'muster validate'],
    [
      'a missing archive',
      'state export',
      "option '--out <archive>' not specified",
      '',
      'muster state export',
    ],
    ['two names where one is meant', 'init a.yaml b.yaml', 'too many arguments', '', 'muster init'],
    [
      'a misspelt command of a group',
      'state exprt',
      "unknown command 'exprt'",
      'Did you mean `muster state export`?',
      'muster state',
    ],
  ])(
    'exits with 3 for %s and refers to the help of that command',
    async (_, argv, message, suggestion, path) => {
      const { code, stdout, stderr } = await run(...argv.split(' '))
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toContain(message)
      const see = suggestion === '' ? 'See' : `${suggestion} Otherwise see`
      expect(stderr).toContain(`\n  fix: ${see} \`${path} --help\`.\n`)
    },
  )

  it.each([
    [['check', 'ux*'], "use --host 'ux*';"],
    [['plan', 'muster.yaml', 'db1.example.org'], 'use --host db1.example.org;'],
    [['config', 'ux1'], 'use --host ux1;'],
    [['trust', 'ux1'], 'use --host ux1;'],
    [['audit', 'ux1'], 'use --host ux1;'],
    [['users', 'verify', 'ux1'], 'use --host ux1;'],
    [['cert', 'list', 'ux1'], 'use --host ux1;'],
    [['exec', 'ux1', '--', 'uptime'], 'use --host ux1;'],
  ])('suggests --host for %j, where the file looks like a host', async (argv, fix) => {
    const { code, stdout, stderr } = await run(...argv)
    expect({ code, output: (stdout + stderr).replace(/\n */g, ' ') }).toEqual({
      code: 3,
      output: expect.stringContaining(fix),
    })
  })

  it.each([
    [['validate', 'ux1']],
    [['status', 'ux1']],
    [['status', 'ux1.yaml']],
    [['status', './ux1']],
    [['status']],
  ])('does not suggest --host for %j', async (argv) => {
    const { stdout, stderr } = await run(...argv)
    expect(stdout + stderr).toContain('There is no file')
    expect(stdout + stderr).not.toContain('--host')
  })

  it('reads the file of the command line, else of MUSTER_FILE, else muster.yaml', async () => {
    expect((await run('plan')).stderr).toContain('There is no file muster.yaml.')
    const env = { MUSTER_FILE: 'chosen.yaml' }
    expect((await runWith(env, 'plan')).stderr).toContain('There is no file chosen.yaml.')
    expect((await runWith(env, 'plan', 'other.yaml')).stderr).toContain('There is no file other.yaml.')
  })
})

describe('a command that asks for confirmation', async () => {
  const context = commandContext({}).context
  const asking: string[][] = []
  const collect = async (made: Command, path: readonly string[]): Promise<void> => {
    await loadCommand(made)
    const needed = made.registeredArguments.filter(({ required }) => required).map(() => 'ops')
    if (made.options.some(({ long }) => long === '--yes')) asking.push([...path, ...needed])
    for (const below of made.commands) await collect(below, [...path, below.name()])
  }
  await collect(musterProgram({ context, done: () => undefined }), [])

  it('is found in more places than install', () => {
    expect(asking.map((words) => words.join(' '))).toEqual(
      expect.arrayContaining(['install', 'uninstall', 'check', 'users rotate ops', 'cert renew', 'switch']),
    )
  })

  it.each(asking)('names a missing file before it asks for --yes: %j', async (...words) => {
    const { code, stdout, stderr } = await run(...words, 'typo.yaml')
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain('typo.yaml')
    expect(stderr).not.toContain('--yes')
  })
})
