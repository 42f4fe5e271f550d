import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { muster } from '../../src/commands/muster.ts'
import { commandContext } from '../config/commandContext.ts'
import { serveCanned } from '../support/cannedHost.ts'
import { type SshServer, startSshServer } from '../support/sshServer.ts'

const names = Array.from({ length: 6 }, (_, index) => `db${index + 1}`)

describe('--forks', () => {
  let folder = ''
  let server: SshServer
  let working = 0
  let most = 0
  let scripts = 0
  /** How many hosts are at work before the first of them gets an answer. */
  let wanted = 1
  let letGo = (): void => undefined
  let enough = Promise.resolve()
  /** Answers late enough for other hosts to begin, were they allowed to. */
  const slowly = async (answer: () => void, script: string): Promise<void> => {
    // Locks are released while connections close, which waits for no host.
    if (script.includes('echo released')) return answer()
    scripts += 1
    working += 1
    most = Math.max(most, working)
    if (most >= wanted) letGo()
    // time: the first script of some commands runs on one host alone, so six seconds without another are enough.
    await Promise.race([enough, wait(6000)])
    // time: in which more hosts than allowed would begin; none is waited for.
    await wait(25)
    working -= 1
    answer()
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'muster-forks-'))
    // All of 127.0.0.0/8 is this machine: one server is every host.
    server = await startSshServer({
      address: '0.0.0.0',
      serve: (channel, command) => serveCanned(channel, command, (...answer) => void slowly(...answer)),
    })
    writeFileSync(
      join(folder, 'muster.yaml'),
      `cluster: alpha
defaults: { rest-api-admin-user: admin, rest-api-admin-pass: x8Jw-Rt2q_Lm0 }
ssh: { user: root, port: ${server.port}, identity: ${server.clientKeyPath}, host-key: "${server.hostKeyFingerprint}" }
services: { alpha: { topology: clustered, master: db1, members: [${names.join(', ')}] } }
hosts: { ${names.map((name, index) => `${name}: { address: 127.20.0.${index + 1} }`).join(', ')} }
`,
    )
  })
  afterAll(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })

  const run = async (atOnce: number, ...argv: string[]) => {
    wanted = atOnce
    enough = new Promise((resolve) => {
      letGo = resolve
    })
    working = 0
    most = 0
    scripts = 0
    const { context, err } = commandContext({
      cwd: folder,
      env: { ...process.env, HOME: folder },
      packageDirectory: process.cwd(),
    })
    return { code: await muster({ argv, context }), err: err(), most, scripts }
  }

  it.each([
    'plan',
    'check',
    'drift',
    'status',
    'version',
    'logs',
    'audit --verify',
    'lock status',
    'users list',
    'cert list',
    'start --yes',
    'diag --out report.tar.gz',
  ])('bounds the hosts that are at work at a time in muster %s', async (command) => {
    const bounded = await run(2, ...command.split(' '), '--forks', '2')
    expect(bounded).toMatchObject({ most: 2 })
    expect(bounded.scripts).toBeGreaterThanOrEqual(names.length)
  })

  it('bounds the hosts on which muster exec runs a command', async () => {
    expect(await run(1, 'exec', '--forks', '1', '--', 'true')).toMatchObject({ code: 0, most: 1 })
    expect((await run(2, 'exec', '--forks', '6', '--', 'true')).most).toBeGreaterThan(1)
  })

  it.each(['0', '501', '-1', '1.5', '1e2', 'all', ''])('is refused with %j in one message', async (value) => {
    const { code, err, scripts: reached } = await run(1, 'plan', `--forks=${value}`)
    expect({ code, err, reached }).toEqual({
      code: 3,
      err: `error: --forks ${value} is not a whole number from 1 to 500.\n  fix: Use a number in this range, such as --forks 100.\n`,
      reached: 0,
    })
  })
})
