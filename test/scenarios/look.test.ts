import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { login } from './support/clusterFile.ts'
import { snapshot } from './support/snapshot.ts'
import { createWorld, type World } from './support/world.ts'

/** Looking into hosts: `muster logs` and `muster exec`. */
describe.skipIf(process.platform !== 'linux')('muster (needs Linux)', () => {
  let world: World

  const exec = (options: readonly string[], words: readonly string[]) =>
    world.operator.muster(['exec', ...options, '--', ...words])
  const impatient = () => {
    const [db1, db2] = [world.host('db1'), world.host('db2')]
    world.describe({ hosts: [db1, { ...db2, ssh: { ...db2.ssh, timeout: '700ms' } }] })
  }

  beforeAll(async () => {
    world = await createWorld(2)
    for (const { name, directory } of world.hosts) {
      mkdirSync(join(directory, 'share'), { recursive: true })
      mkdirSync(join(directory, 'data'))
      writeFileSync(join(directory, 'share/account'), `process ${login}\n`)
      const manifest = JSON.stringify({ version: 1, cluster: 'alpha', host: name })
      writeFileSync(join(directory, 'share/installation.json'), manifest)
      const first = name === 'db1' ? 0 : 1
      const lines = [first, first + 2].map((second) =>
        JSON.stringify({ level: 'info', time: `2026-03-01T12:00:0${second}.000Z`, msg: `line ${second}` }),
      )
      writeFileSync(join(directory, 'data/connector.log'), `${lines.join('\n')}\n`)
    }
  })
  afterEach(async () => {
    await eventually(() => expect(world.hosts.map(({ server }) => server.running())).toEqual([0, 0]))
    for (const { server } of world.hosts) server.setFault('none')
    world.describe()
  })
  afterAll(() => world?.close())

  describe('logs', () => {
    it('prints the lines of all hosts by time, and changes nothing', async () => {
      const before = snapshot(world.folder)
      const { code, stdout, stderr } = await world.muster('logs')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toBe(
        [0, 1, 2, 3]
          .map((at) => `2026-03-01T12:00:0${at}.000Z db${(at % 2) + 1} connector   info  line ${at}\n`)
          .join(''),
      )
      expect(snapshot(world.folder)).toEqual(before)
      expect((await world.muster('logs', ['--lines', '1', '--host', 'db2'])).stdout).toMatch(
        /^\S+ db2 \S+ +info +line 3\n$/,
      )
      expect((await world.muster('logs', ['--component', 'manager'])).stdout).toBe('')
      expect((await world.muster('logs', ['--since', '1h'])).stdout).toBe('')
      const json = await world.muster('logs', ['--json', '--lines', '1'])
      expect(JSON.parse(json.stdout.split('\n')[0] ?? '')).toMatchObject({
        host: 'db1',
        component: 'connector',
      })
    })

    it('prints the lines of the other hosts and exits with 4 if one is unreachable', async () => {
      world.host('db2').server.setFault('close-before-banner')
      impatient()
      const { code, stdout, stderr } = await world.muster('logs')
      expect(code).toBe(4)
      expect(stdout.match(/ db1 /g)).toHaveLength(2)
      expect(stderr).toMatch(/^error db2: /)
    })

    it('prints what --level and --grep leave, and takes the name of a host for --host', async () => {
      const { code, stdout } = await world.muster('logs', ['--grep', 'LINE 2', '--lines', '1'])
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: '2026-03-01T12:00:02.000Z db1 connector   info  line 2\n',
      })
      expect((await world.muster('logs', ['--level', 'warn'])).stdout).toBe('')
      expect((await world.muster('logs', ['db2'])).stdout.match(/ db[12] /g)).toEqual([' db2 ', ' db2 '])
      expect((await world.muster('logs', ['db3'])).stderr).toContain("no host in alpha matches 'db3'")
    })

    it('follows all hosts until Ctrl-C, and says when one is lost', async () => {
      const stop = new AbortController()
      let printed = ''
      const running = world.muster('logs', ['--follow', '--lines', '1'], {
        signal: stop.signal,
        watch: (text) => {
          printed += text
        },
      })
      await eventually(() =>
        expect(printed.match(/ line [23]\n/g)?.sort()).toEqual([' line 2\n', ' line 3\n']),
      )
      const [db1, db2] = [world.host('db1'), world.host('db2')]
      const append = (text: string) => appendFileSync(join(db1.directory, 'data/connector.log'), text)
      append(`${JSON.stringify({ level: 'warn', time: '2026-03-01T12:00:09.000Z', msg: 'new \u001b[2J' })}\n`)
      await eventually(() => expect(printed).toContain(' db1 connector   warn  new \\x1b[2J\n'))
      db2.server.breakConnections('reset')
      await eventually(() => expect(printed).toMatch(/^error db2: the connection to db2 was lost/m))
      expect(printed).toContain('note: Still following db1.\n')
      append('{"msg":"after"}\n')
      await eventually(() => expect(printed).toContain('after'))
      stop.abort()
      expect((await running).code).toBe(4)
      const all = readFileSync(join(db1.directory, 'data/connector.log'), 'utf8').split('\n')
      writeFileSync(join(db1.directory, 'data/connector.log'), `${all.slice(0, 2).join('\n')}\n`)
    })

    it('exits with 130 after Ctrl-C if no host was left out', async () => {
      const stop = new AbortController()
      const running = world.muster('logs', ['-f', 'db1'], {
        signal: stop.signal,
        watch: (text) => {
          if (text.includes(' line 2\n')) stop.abort()
        },
      })
      expect((await running).code).toBe(130)
    })

    it('ends by itself once the last host is lost, with the exit code of unreachable hosts', async () => {
      let printed = ''
      const running = world.muster('logs', ['-f', 'db1'], {
        watch: (text) => {
          printed += text
        },
      })
      await eventually(() => expect(printed).toContain(' line 2\n'))
      world.host('db1').server.breakConnections('reset')
      const { code, stderr } = await running
      expect({ code, stderr }).toEqual({
        code: 4,
        stderr: expect.stringMatching(/^error db1: the connection/),
      })
      expect(stderr).not.toContain('Still following')
    })

    it.each([
      [['--level', 'loud'], 'Allowed choices are trace, debug, info, warn, error'],
      [['--grep', ''], '--grep needs a text.'],
      [['--grep', 'x'.repeat(201)], '--grep takes at most 200 characters.'],
      [['--since', 'yesterday'], '--since yesterday is not a duration.'],
      [['--lines', '0'], '--lines 0 is not a whole number from 1 to 10000.'],
      [['--lines', '10001'], '--lines 10001 is not a whole number from 1 to 10000.'],
      [['--component', 'conector'], 'Allowed choices are manager, connector, replicator'],
    ])('exits with 3 for %j', async (argv, message) => {
      const { code, stdout, stderr } = await world.muster('logs', argv)
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toContain(message)
    })
  })

  describe('exec', () => {
    it('runs a program on all hosts with its arguments unchanged', async () => {
      const { code, stdout } = await exec(
        ['alpha.yaml'],
        ['printf', '%s|', '--json', '--', '$HOME', "it's *"],
      )
      expect(code).toBe(0)
      expect(stdout).toBe("db1, db2  exit 0\n  | --json|--|$HOME|it's *|\n")
    })

    it('reads its file from MUSTER_FILE, and has its own options', async () => {
      world.operator.env.MUSTER_FILE = 'alpha.yaml'
      const { code, stdout } = await exec(
        ['--host', 'db2', '--json'],
        ['sh', '-c', 'echo out; echo err >&2; exit 3'],
      )
      delete world.operator.env.MUSTER_FILE
      expect(code).toBe(1)
      expect(JSON.parse(stdout)).toEqual({
        host: 'db2',
        code: 3,
        stdout: 'out\n',
        stderr: 'err\n',
        cut: { stdout: 0, stderr: 0 },
      })
    })

    it('runs on the other hosts and exits with 4 if one is unreachable', async () => {
      world.host('db2').server.setFault('close-before-banner')
      impatient()
      const { code, stdout, stderr } = await exec(['alpha.yaml'], ['echo', 'here'])
      expect(code).toBe(4)
      expect(stdout).toBe('db1  exit 0\n  | here\n')
      expect(stderr).toMatch(/^error db2: /)
    })

    it('stops waiting for a program after its timeout', async () => {
      const pidFile = join(world.folder, 'pid')
      const script = 'echo $$ > "$1"; exec sleep 600'
      const argv = ['alpha.yaml', '--host', 'db1', '--timeout', '3s']
      const { code, stderr } = await exec(argv, ['sh', '-c', script, 'sh', pidFile])
      // Without a terminal nothing tells a program that its connection has ended.
      process.kill(Number(readFileSync(pidFile, 'utf8')))
      expect(code).toBe(1)
      expect(stderr).toContain(
        'error db1: the command timed out after 3 s; it may still be running there [timeout]\n  fix: Increase --timeout',
      )
    })

    it.each([
      [['exec', 'alpha.yaml'], '`muster exec` needs a command.'],
      [['exec', 'alpha.yaml', '--'], '`muster exec` needs a command.'],
      [['exec', 'alpha.yaml', '--', '-x'], '-x is not a command.'],
      [['exec', 'alpha.yaml', '--timeout', '1', '--', 'true'], '--timeout 1 is not a duration.'],
      [['exec', 'alpha.yaml', '--user', 'x', '--', 'true'], "unknown option '--user'"],
    ])('exits with 3 for %j', async (argv, message) => {
      const { code, stdout, stderr } = await world.operator.muster(argv)
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toContain(message)
    })
  })
})
