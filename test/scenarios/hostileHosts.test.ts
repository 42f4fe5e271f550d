import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { answeringShell, startDisconnecting, steering } from '../support/hostileSsh.ts'
import { type SshServer, type SshServerOptions, startSshServer } from '../support/sshServer.ts'
import type { HostWish } from './support/clusterFile.ts'
import { onTerminal } from './support/onTerminal.ts'
import type { Outcome } from './support/operator.ts'
import { runProgram } from './support/program.ts'
import { createWorld, type World } from './support/world.ts'

/** Control characters but line feed and tab, marks of writing direction, and what has no width. */
const acted = /[^\P{C}\n\t]|[\u2028\u2029]/u

/** Our own colours (ECMA-48, SGR). */
const colours = new RegExp(`${String.fromCharCode(0x1b)}\\[(?:1|2|22|3[0-9])m`)

const looking: readonly (readonly [string, readonly string[]])[] = [
  ['status', []],
  ['status', ['--json']],
  ['plan', []],
  ['plan', ['--json']],
  ['check', []],
  ['logs', []],
  ['logs', ['--json']],
  ['lock status', []],
  ['users list', []],
  ['cert list', []],
]

/** What fails as a whole where one host cannot be understood, and what tells of every host. */
const mustFail: readonly string[] = ['status', 'plan', 'check', 'logs', 'lock status']
const tellsAll: readonly string[] = ['status', 'logs', 'lock status', 'users list', 'cert list']

/** One host that is what it should be, and one in whose place an attacker answers. */
describe.skipIf(process.platform !== 'linux')('a hostile host (needs Linux)', () => {
  let world: World
  const servers: { close(): Promise<void> }[] = []

  const describeWith = (ssh: HostWish['ssh']): void => {
    const [db1, db2] = world.hosts
    if (db1 === undefined || db2 === undefined) throw new Error('two hosts')
    world.describe({ hosts: [db1, { ...db2, ssh: { ...db2.ssh, ...ssh } }] })
  }
  const serve = async (options: SshServerOptions): Promise<SshServer> => {
    const server = await startSshServer({ ...options, address: world.host('db2').address })
    servers.push(server)
    describeWith({ port: server.port, identity: server.clientKeyPath, 'known-hosts': server.knownHostsPath })
    return server
  }
  const run = (command: string, argv: readonly string[]): Promise<Outcome> => {
    const [word = '', ...rest] = command.split(' ')
    return world.muster(word, [...rest, ...argv])
  }
  /** Nothing steers a terminal, no line is forged, and the good host is there. */
  const expectHarmless = ({ stdout, stderr }: Outcome): void => {
    for (const text of [stdout, stderr]) {
      expect(text).not.toMatch(acted)
      expect(text).not.toMatch(/^error db1: forged/m)
      expect(text).not.toContain('internal-error')
    }
  }

  beforeAll(async () => {
    world = await createWorld(2)
  })
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close()
  })
  afterAll(() => world?.close())

  it('cannot control the terminal by text before its key is verified', async () => {
    const server = await startDisconnecting(world.host('db2').address, steering)
    servers.push(server)
    describeWith({ port: server.port })
    for (const [command, argv] of [
      ...looking.slice(0, 6),
      ['exec', ['--', 'true']] as const,
      ['trust', []] as const,
    ]) {
      const outcome =
        command === 'exec'
          ? await world.operator.muster(['exec', 'alpha.yaml', ...argv])
          : await run(command, argv)
      expectHarmless(outcome)
      if (tellsAll.includes(command)) expect(outcome.stdout + outcome.stderr, command).toContain('db1')
    }
    const program = { program: 'muster' as const, cwd: world.operator.directory, env: world.operator.env }
    const { stderr } = await runProgram({ ...program, argv: ['logs', 'alpha.yaml'] })
    expect(stderr).not.toMatch(acted)
    expect(stderr).toContain('\\x1b]0;owned\\x07')
  })

  it('cannot control the terminal by text at login, in its banner or in place of a shell', async () => {
    const shell = join(world.folder, 'hostile-shell')
    writeFileSync(shell, `#!/bin/sh\nprintf '%s' ${JSON.stringify(steering)} >&2\nexit 1\n`, { mode: 0o755 })
    await serve({ banner: steering, chatter: steering, shell })
    for (const [command, argv] of looking) expectHarmless(await run(command, argv))
    const { stdout, stderr } = await run('plan', [])
    expect(`${stdout}${stderr}`).toContain('no sh started there: ')
  })

  it.each([
    ['junk', { out: 'junk not json' }],
    ['junk that steers', { out: steering, err: steering }],
    ['failures that steer', { code: 1, out: '', err: steering }],
    ['seven megabytes of newlines', { out: Buffer.alloc(7_000_000, '\n') }],
    ['no exit code', { code: Number.NaN, out: steering }],
  ])('that answers %s to each kind of command is the only one that fails', async (_what, answer) => {
    await serve({ serve: answeringShell(() => answer) })
    for (const [command, argv] of looking) {
      const outcome = await run(command, argv)
      expectHarmless(outcome)
      if (mustFail.includes(command)) expect(outcome.code, `${command}: ${outcome.stdout}`).not.toBe(0)
      if (tellsAll.includes(command)) expect(outcome.stdout + outcome.stderr, command).toContain('db1')
    }
    const installed = await world.muster('install')
    expectHarmless(installed)
    expect([1, 4]).toContain(installed.code)
  })

  it('cannot control the terminal through muster exec; its JSON has the exact output', async () => {
    const out = `${steering}\n0`
    await serve({
      serve: answeringShell((script) => (script.includes('machine-id') ? { out: '' } : { out, err: out })),
    })
    const argv = ['exec', '--host', 'db2', 'alpha.yaml', '--', 'true']
    const text = await world.operator.muster(argv)
    expectHarmless(text)
    expect(text.stdout).toContain('  | \\x1b]0;owned\\x07\\x1b[2J')
    const json = await world.operator.muster(['exec', '--json', ...argv.slice(1)])
    expect(json.stdout).not.toMatch(acted)
    expect(JSON.parse(json.stdout)).toMatchObject({ host: 'db2', stdout: steering, stderr: steering })
    const { raw } = await onTerminal(world.operator, argv)
    expect(raw.replaceAll('\r\n', '\n').split(colours).join('')).not.toMatch(acted)
  })
})
