import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { betrays, makeSentinel } from '../lab/scenario/sentinel.ts'
import { endsWell } from '../support/endsWell.ts'
import { lockFolder } from '../support/lockFolder.ts'
import { clusterFile } from './support/clusterFile.ts'
import { faultSite, passwordOption } from './support/faultSite.ts'
import { meanwhile } from './support/meanwhile.ts'
import { createOperator, type Operator, type Outcome, type RunOptions } from './support/operator.ts'
import { runProgram } from './support/program.ts'
import { createWorld, type Host, type World } from './support/world.ts'

type Line = Readonly<Record<string, unknown>>

const linesOf = (path: string): readonly Line[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Two people with the same file, each with a folder of their own: the state directory keeps nobody out. */
describe.skipIf(process.platform !== 'linux')(
  'the lock of a cluster with two operators (needs Linux)',
  () => {
    const sentinel = makeSentinel()
    let world: World
    let site: ReturnType<typeof faultSite>
    let second: Operator
    const lockOf = (host: Host) => lockFolder(host.directory)
    const held = () => world.hosts.filter((host) => existsSync(lockOf(host))).map(({ name }) => name)
    /** The records of runs; that each had begun stands there, too. */
    const runs = (operator = world.operator) =>
      linesOf(join(operator.directory, '.muster/alpha/runs.jsonl')).filter((line) => 'exit' in line)
    const byThem = (argv: readonly string[], options?: RunOptions): Promise<Outcome> =>
      second.muster([...argv, 'alpha.yaml'], options)
    /** The lock of a run on another machine, whose last heartbeat was so many seconds ago. */
    const leaveLock = (host: Host, seconds: number): void => {
      const facts = { id: 'run-of-ann', operation: 'install', cluster: 'alpha', user: 'ann', pid: 42 }
      mkdirSync(lockOf(host), { recursive: true, mode: 0o700 })
      writeFileSync(join(lockOf(host), 'id'), 'run-of-ann\n')
      writeFileSync(join(lockOf(host), 'owner'), JSON.stringify({ ...facts, machine: 'desk\u001b[2J' }))
      const then = new Date('2026-01-02T03:04:05Z')
      utimesSync(join(lockOf(host), 'id'), then, then)
      writeFileSync(join(lockOf(host), 'beat'), `${Math.floor(uptime()) - seconds}\n`)
    }

    beforeAll(async () => {
      world = await createWorld(2)
      mkdirSync(join(world.folder, 'second'))
      second = createOperator(join(world.folder, 'second'))
      const describe = () => world.describe({ defaults: passwordOption })
      site = faultSite(world, { describe, first: sentinel.password })
      describe()
      second.write('alpha.yaml', clusterFile({ hosts: world.hosts, defaults: passwordOption }))
      second.env.FAULT_PASS = sentinel.password
      const outcome = await world.muster('install')
      expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
    })
    afterEach(() => {
      for (const host of world.hosts) rmSync(lockOf(host), { recursive: true, force: true })
    })
    afterAll(() => world?.close())

    it('is released after a run, which has one record on each side', () => {
      expect(held()).toEqual([])
      expect(runs()).toMatchObject([
        {
          operation: 'install',
          cluster: 'alpha',
          targets: ['db1', 'db2'],
          hosts: [
            { host: 'db1', result: 'changed', proved: 'logins verified' },
            { host: 'db2', result: 'changed', proved: 'logins verified' },
          ],
          exit: 0,
        },
      ])
      expect(statSync(join(world.operator.directory, '.muster/alpha/runs.jsonl')).mode & 0o777).toBe(0o600)
      for (const host of world.hosts) {
        const file = join(host.directory, 'deployment.jsonl')
        const outcomes = runs()[0]?.hosts
        const own = Array.isArray(outcomes) ? outcomes.find((one) => one.host === host.name) : undefined
        expect(linesOf(file).map(({ change }) => change)).toEqual(own?.applied)
        expect(linesOf(file)[0]).toMatchObject({ run: runs()[0]?.id, operation: 'install', outcome: 'done' })
        expect(statSync(file).mode & 0o777).toBe(0o600)
        expect(betrays(sentinel, readFileSync(file))).toBe(false)
      }
    })

    it('refuses the second operator with exit code 5, and releases the locks of the refused run', async () => {
      await endsWell({
        row: 'two operators at once',
        site,
        begin: () => () => expect(held()).toEqual([]),
        attempt: async () => {
          const [ours, theirs] = await meanwhile(world, {
            first: (options) => world.muster('restart', ['--json'], options),
            second: () => byThem(['stop', '--yes']),
          })
          expect(ours, ours.stderr).toMatchObject({ code: 0 })
          return theirs
        },
        code: 5,
        told: ({ stderr }) =>
          expect(stderr).toMatch(
            // One line where both hosts saw the same second of its heartbeat.
            /^(?:error db[12](?: and db2)?: another run holds the lock of this host: `muster restart` of .* \(run \S+, process \d+\), since \S+Z, last heartbeat \d s ago \[locked\]\n){1,2} {2}fix: Wait until/,
          ),
        // Ours was at work meanwhile.
        back: ['db1', 'db2'],
      })
      // It changed nothing, and its folder keeps nothing.
      expect(existsSync(join(second.directory, '.muster'))).toBe(false)
      second.env.FAULT_PASS = site.password()
    })

    it('is waited for with --lock-wait, with a message that names the other run', async () => {
      const [ours, outcome] = await meanwhile(world, {
        first: (options) => world.muster('restart', ['--json'], options),
        second: (goOn) => {
          const watch = (text: string): void => {
            if (text.includes('waiting for db1')) goOn()
          }
          return byThem(['restart', '--yes', '--lock-wait', '1m'], { watch })
        },
      })
      expect(ours.code).toBe(0)
      expect(outcome, outcome.stderr).toMatchObject({ code: 0, stderr: '' })
      expect(outcome.stdout).toContain('waiting for db1: another run holds the lock of this host')
      expect(held()).toEqual([])
    })

    it('is waited for with --lock-wait also in the same folder', async () => {
      let later: Promise<Outcome> | undefined
      const watch = (text: string): void => {
        if (text.includes('"step-started","host":"db1"'))
          later ??= world.muster('stop', ['--lock-wait', '1m'])
      }
      expect((await world.muster('restart', ['--json'], { watch })).code).toBe(0)
      const outcome = await later
      expect(outcome).toMatchObject({ code: 0 })
      expect(outcome?.stderr).toMatch(
        /^waiting: another muster run holds db1 and db2: `muster restart`, process \d+ on \S+, since \S+\n$/,
      )
      expect((await world.muster('start')).code).toBe(0)
    })

    it('is released on db1 if another machine holds it on db2, whose text is escaped', async () => {
      leaveLock(world.host('db2'), 0)
      const outcome = await world.muster('install')
      expect(outcome).toMatchObject({ code: 5, stdout: 'FAILED: 1 of 2 hosts (db2)\n' })
      expect(outcome.stderr).toContain(
        'error db2: another run holds the lock of this host: `muster install` of ann on desk[2J ',
      )
      expect(outcome.stderr).not.toContain('\u001b')
      expect(outcome.stderr).not.toContain('db1')
      expect(runs().at(-1)).toMatchObject({
        ...{ operation: 'install', exit: 5 },
        hosts: [
          { host: 'db1', result: 'not-started' },
          { host: 'db2', result: 'failed', failure: { code: 'locked' } },
        ],
      })
      expect(held()).toEqual(['db2'])
    })

    it('is shown by lock status, and released by lock release only after confirmation', async () => {
      leaveLock(world.host('db2'), 7)
      const status = await world.muster('lock', ['status'])
      expect(status).toMatchObject({ code: 0, stderr: '' })
      expect(status.stdout).toMatch(
        /^db1 {2}free\ndb2 {2}held by `muster install` of ann on desk\[2J \(run run-of-ann, process 42\), since 2026-01-02T03:04:05Z, last heartbeat \d+ s ago\n$/,
      )
      const json = JSON.parse((await world.muster('lock', ['status', '--json'])).stdout)
      expect(json).toMatchObject({
        cluster: 'alpha',
        hosts: [
          { host: 'db1', state: 'free' },
          { host: 'db2', state: 'held', lock: { owner: { user: 'ann' } } },
        ],
      })
      expect((await world.muster('lock', ['release'])).code).toBe(3)
      const declined = await world.muster('lock', ['release'], { typed: 'no\n' })
      expect(declined.code).toBe(1)
      expect(declined.stdout).toContain('two runs could change a host at the same time')
      expect(held()).toEqual(['db2'])
      expect(await world.muster('lock', ['release', '--yes'])).toMatchObject({ code: 0, stderr: '' })
      expect(held()).toEqual([])
      expect(await world.muster('lock', ['release', '--yes'])).toMatchObject({
        code: 0,
        stdout: 'db1  free\ndb2  free\n',
      })
    })

    it('is released in the state directory too, if another machine holds it there', async () => {
      const id = '00000000-0000-4000-8000-000000000000'
      const path = join(world.operator.directory, `.muster/alpha/lock-run-${id}`)
      const since = '2026-01-02T03:04:05Z'
      const lock = { pid: 42, machine: 'desk', id, since, operation: 'install', hosts: ['db2', 'db9'] }
      writeFileSync(path, JSON.stringify(lock))
      const refused = await world.muster('restart')
      expect(refused).toMatchObject({ code: 5, stdout: '' })
      expect(refused.stderr).toBe(
        `error: another muster run holds db2: \`muster install\`, process 42 on desk, since ${since} [locked]\n  fix: wait until it ends, for example with --lock-wait 5m; if that machine or container no longer exists, release its lock: muster lock release\n`,
      )
      expect((await world.muster('restart', ['--host', 'db1'])).code).toBe(0)
      const line = `state directory  held for db2 and db9 by \`muster install\`, process 42 on desk, since ${since}\n`
      expect((await world.muster('lock', ['status'])).stdout).toBe(`db1  free\ndb2  free\n${line}`)
      expect((await world.muster('lock', ['status', '--host', 'db1'])).stdout).toBe('db1  free\n')
      expect(JSON.parse((await world.muster('lock', ['status', '--json'])).stdout).state).toEqual([lock])
      expect(await world.muster('lock', ['release', '--yes'])).toMatchObject({ code: 0, stderr: '' })
      expect(existsSync(path)).toBe(false)
      expect((await world.muster('restart')).code).toBe(0)
    })

    it('is taken by runs that muster audit lists and shows', async () => {
      const [first] = runs()
      const list = await world.muster('audit')
      expect(list).toMatchObject({ code: 0, stderr: '' })
      expect(list.stdout).toMatch(/^RUN +COMMAND +BY +TOOK +EXIT +HOSTS\n/)
      expect(list.stdout).toContain('1 not-started, 1 failed\n')
      expect(list.stdout).toMatch(new RegExp(`^${first?.id} +install +.* 0 +2 changed\n$`, 'm'))
      const one = await world.muster('audit', [String(first?.id)])
      expect(one).toMatchObject({ code: 0, stderr: '' })
      expect(one.stdout).toContain('for 2 hosts: db1, db2\n')
      expect(one.stdout).toMatch(/^db1 {2}done: \d+ changes, logins verified/m)
      expect(JSON.parse((await world.muster('audit', ['last', '--json'])).stdout)).toEqual(runs().at(-1))
      expect(JSON.parse((await world.muster('audit', ['--json'])).stdout).runs).toEqual(runs())
      expect(await world.muster('audit', ['20000101T000000Z'])).toMatchObject({ code: 3, stdout: '' })
    })

    it('is taken over if its last heartbeat is 31 s old', async () => {
      for (const host of world.hosts) leaveLock(host, 31)
      expect((await world.muster('install')).code).toBe(0)
      expect(held()).toEqual([])
    })

    it('is not waited for after Ctrl-C, exit code 130', async () => {
      leaveLock(world.host('db2'), 0)
      const stop = new AbortController()
      const watch = (text: string): void => {
        if (text.includes('waiting for db2')) stop.abort()
      }
      const { code } = await world.muster('restart', ['--lock-wait', '5m'], { signal: stop.signal, watch })
      expect(code).toBe(130)
      expect(held()).toEqual(['db2'])
    })

    it('is free immediately after its owner was killed by SIGKILL', async () => {
      await endsWell({
        row: 'lock whose owner died',
        site,
        begin: async () => {
          const killed = await runProgram({
            program: 'muster',
            argv: ['restart', '--yes', '--json', 'alpha.yaml'],
            cwd: second.directory,
            env: second.env,
            kill: (stdout) => (stdout.includes('step-started') ? 'SIGKILL' : undefined),
          })
          expect(killed.signal).toBe('SIGKILL')
          return () => expect(held()).toEqual([])
        },
        code: 0,
        told: ({ stderr }) => expect(stderr).toBe(''),
        done: ['db1', 'db2'],
      })
    })

    it('is released on a host whose connection is lost', async () => {
      const db1 = world.host('db1')
      const watch = (text: string): void => {
        if (text.includes('"step-started","host":"db1"')) db1.server.breakConnections('reset')
      }
      expect((await world.muster('restart', ['--json'], { watch })).code).toBe(4)
      await expect.poll(held, { timeout: 60_000 }).toEqual([])
      expect((await world.muster('install')).code).toBe(0)
    })
  },
)
