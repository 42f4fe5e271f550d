import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../../src/cli/exitCodes.ts'
import type { HooksConfig } from '../../../src/config/model.ts'
import type { HookName } from '../../../src/config/settings/hooks.ts'
import { change } from '../../../src/deployment/step.ts'
import { StepError } from '../../../src/deployment/stepError.ts'
import type { HookEvent } from '../../../src/session/hooks/hookEvent.ts'
import { type RunPlan, runPlan } from '../../../src/session/runPlan.ts'
import { beginSession } from '../../../src/session/session.ts'
import { withRun } from '../../../src/session/withRun.ts'
import { commandContext } from '../../config/commandContext.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import { eventually } from '../../support/eventually.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { blockOf, blocksOf } from '../../support/pages.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

type Scripts = Partial<Record<HookName, string>>

/** Writes an event to a file, so that a test sees which programs ran with what, in their order. */
const record = 'cat >> events.jsonl'

const recording: Scripts = {
  'before-run': record,
  'before-host': record,
  'after-host': record,
  'on-failure': record,
  'after-run': record,
}

/** Writes programs of sh into a folder that only this user can change. */
function hooksIn(directory: string, scripts: Scripts, given: Partial<HooksConfig> = {}): HooksConfig {
  const programs = Object.entries(scripts).map(([name, script]) => {
    const path = join(directory, `${name}.sh`)
    writeFileSync(path, `#!/bin/sh\n${script}\n`)
    chmodSync(path, 0o755)
    return [name, { command: [`./${name}.sh`], directory, place: 'muster.yaml:9:3' }]
  })
  return { programs: Object.fromEntries(programs), timeout: 10_000, environment: [], ...given }
}

type Options = {
  readonly given?: Partial<HooksConfig>
  readonly rollout?: RunPlan['rollout']
  readonly failing?: readonly string[]
  readonly changing?: boolean
  readonly env?: Readonly<Record<string, string>>
  readonly stop?: (directory: string) => Promise<unknown>
  readonly hooks?: HooksConfig
  readonly directory?: string
  readonly operation?: string
}

/** Brings a plan for three hosts to its end, with hooks. */
async function run(scripts: Scripts, options: Options = {}) {
  const { given, failing = [], changing = true, rollout, env = {}, stop, operation = 'test' } = options
  const directory = options.directory ?? temporaryFolder()
  const stopping = new AbortController()
  const { context, out, err } = commandContext({
    cwd: directory,
    env: { PATH: process.env.PATH, ...env },
    signal: stopping.signal,
  })
  const hooks = options.hooks ?? hooksIn(directory, scripts, given)
  const hosts = ['db1', 'db2', 'db3']
  const config = { cluster: 'alpha', directory, services: [], hosts: hosts.map(named), excluded: [], hooks }
  const happened: string[] = []
  const code = withRun({ context, config, json: false, operation, lockWait: 0 }, async (locked) => {
    const session = await beginSession({ context, config, json: false, yes: true, run: locked })
    const plan: RunPlan = {
      work: hosts.map((host) => workOf(host, { happened, fails: failing.includes(host), changing })),
      notes: [],
      ...(rollout && { rollout }),
      executeAndSave: async (execute) => {
        happened.push('kept')
        return (await execute()).exit
      },
    }
    return runPlan({ ...session, survey: { reached: [], unreachable: [] } }, plan)
  }).catch((error: unknown) => (error instanceof Error ? error.name : 'error'))
  await stop?.(directory).then(() => stopping.abort())
  const ended = await code
  const file = join(directory, 'events.jsonl')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
  const events = lines.map((line): HookEvent => JSON.parse(line))
  return { code: ended, happened, events, directory, out: out(), err: err() }
}

const named = (name: string) => hostConfig({ name })

function workOf(
  host: string,
  { happened, fails, changing }: { happened: string[]; fails: boolean; changing: boolean },
): RunPlan['work'][number] {
  const step: RunPlan['work'][number]['steps'][number]['step'] = {
    id: 'one',
    title: 'one thing',
    phase: 'commit',
    apply: async () => {
      if (fails) throw new StepError({ host, code: 'disk-full', message: 'disk full', fix: 'Free some.' })
      happened.push(`${host} changed`)
    },
  }
  return {
    host,
    address: host,
    transport: fakeTransport({ host }),
    steps: changing ? [{ step, change: change('change one thing') }] : [],
    verify: async () => {
      happened.push(`${host} proved`)
      return 'proved'
    },
    snapshot: {
      take: async () => undefined,
      restore: async () => {
        happened.push(`${host} back`)
        return 'All undone.'
      },
    },
  }
}

const oneByOne = { maxFailed: 3, onFailure: 'continue', batch: { hosts: 1 } } as const

describe.skipIf(process.platform !== 'linux')('the hooks of a run (needs Linux)', () => {
  it('run in their order, with an event that has every documented member', async () => {
    const { code, events, err } = await run(recording, { rollout: oneByOne })
    expect({ code, err }).toEqual({ code: exitCodes.ok, err: '' })
    expect(events.map(({ event, host }) => (host === null ? event : `${event} ${host}`))).toEqual([
      'before-run',
      ...['db1', 'db2', 'db3'].flatMap((host) => [`before-host ${host}`, `after-host ${host}`]),
      'after-run',
    ])
    const run_ = expect.stringMatching(/^\d{8}T\d{6}Z-[0-9a-f]{6}$/)
    const common = {
      version: 1,
      run: run_,
      operation: 'test',
      cluster: 'alpha',
      hosts: ['db1', 'db2', 'db3'],
      restored: null,
      failure: null,
      started: '2026-01-01T00:00:00.000Z',
    }
    const open = { outcome: null, results: null, ended: null, exit: null }
    expect(events[0]).toEqual({ ...common, ...open, event: 'before-run', host: null, changes: 3 })
    expect(events[1]).toEqual({ ...common, ...open, event: 'before-host', host: 'db1', changes: 1 })
    expect(events.at(-1)).toEqual({
      ...common,
      event: 'after-run',
      host: null,
      changes: 3,
      outcome: 'ok',
      results: { db1: 'changed', db2: 'changed', db3: 'changed' },
      ended: '2026-01-01T00:00:00.000Z',
      exit: 0,
    })
  })

  it('are shown in the plan without their arguments', async () => {
    expect((await run({ 'before-run': 'true', 'after-host': 'true' })).out).toContain(
      '* hooks on this machine: before-run ./before-run.sh, after-host ./after-host.sh',
    )
  })

  it('do not run where nothing changes', async () => {
    const { code, events, happened, out } = await run(recording, { changing: false })
    expect({ code, events }).toEqual({ code: exitCodes.ok, events: [] })
    expect(happened).toContain('db1 proved')
    expect(out).not.toContain('hooks on')
  })

  it('change nothing if before-run fails, with the end of what it said', async () => {
    const script = `${record}; echo start >&2; printf 'no\\033[2J window\\n' >&2; exit 3`
    const { code, events, happened, err } = await run({ ...recording, 'before-run': script })
    expect(code).toBe(exitCodes.failed)
    expect(happened).toEqual([])
    expect(events.map(({ event }) => event)).toEqual(['before-run'])
    expect(err).toBe(
      'error: the before-run hook, ./before-run.sh (muster.yaml:9:3), ended with code 3 and said: start / no window [hook-failed]\n' +
        '  fix: Correct what it says, then run the command again. To try it by hand, give it the JSON of docs/guide/hooks.md.\n' +
        'Nothing was changed.\n',
    )
  })

  it('keep a host unchanged if its before-host fails, which counts as a failed host', async () => {
    const script = `event=$(cat); echo "$event" >> events.jsonl; case $event in *'"host":"db2"'*) exit 1;; esac`
    const first = await run({ ...recording, 'before-host': script }, { rollout: oneByOne })
    expect(first.code).toBe(exitCodes.failed)
    expect(first.happened).toEqual(['kept', 'db1 changed', 'db1 proved', 'db3 changed', 'db3 proved'])
    const failure = first.events.find(({ event }) => event === 'on-failure')
    expect(failure).toMatchObject({ host: 'db2', outcome: 'failed', restored: false })
    expect(failure?.failure?.code).toBe('hook-failed')
    expect(first.err).toContain('The host was not changed.')
    const strict = await run({ 'before-host': script }, { rollout: { ...oneByOne, maxFailed: 0 } })
    expect(strict.happened).toEqual(['kept', 'db1 changed', 'db1 proved'])
  })

  it('tell a failed host once, after its way back, and the end with its results', async () => {
    const { code, happened, events } = await run(recording, { rollout: oneByOne, failing: ['db2'] })
    expect(code).toBe(exitCodes.failed)
    expect(happened).toContain('db2 back')
    const failures = events.filter(({ event }) => event === 'on-failure')
    expect(failures).toHaveLength(1)
    expect(failures[0]).toMatchObject({
      host: 'db2',
      restored: true,
      failure: { code: 'disk-full', message: 'disk full\nAll undone.' },
    })
    expect(events.at(-1)).toMatchObject({
      event: 'after-run',
      outcome: 'failed',
      exit: 1,
      results: { db1: 'changed', db2: 'failed', db3: 'changed' },
    })
  })

  it.each(['after-host', 'after-run'] as const)(
    'make the exit code 1 if %s fails, with every host done',
    async (name) => {
      const { code, happened, out, err } = await run({ ...recording, [name]: 'echo oh >&2; exit 9' })
      expect(code).toBe(exitCodes.failed)
      expect(happened.filter((one) => one.endsWith('proved'))).toHaveLength(3)
      expect(out + err).toContain(`warning: the ${name} hook`)
      expect(out).toContain('DONE: 3 hosts')
      expect(err).toContain('warning: a hook failed, so the exit code is 1; every host is as it should be.')
    },
  )

  it('get the listed variables, and no other secret', async () => {
    const env = { PAGER_KEY: 'pager-4711', ADMIN_PASS: 'sentinel', HOME: '/home/ops' }
    const script = 'env > environment; echo "$PAGER_KEY" >&2; exit 1'
    const given = { environment: ['PAGER_KEY', 'NOT_SET'] }
    const { directory, err } = await run({ 'before-run': script }, { env, given })
    const text = readFileSync(join(directory, 'environment'), 'utf8')
    expect(text).toContain('PAGER_KEY=pager-4711\n')
    expect(text).toContain('HOME=/home/ops\n')
    expect(text).toMatch(/^MUSTER_RUN=\d{8}T/m)
    expect(text).toContain('MUSTER_HOOK=before-run\n')
    expect(text).not.toContain('sentinel')
    expect(err).toContain('and said: [redacted]')
  })

  it('end with their children when their time is over', async () => {
    const script = 'sleep 300 & echo $! > child; trap "" TERM; sleep 300; sleep 300'
    const { code, err, directory } = await run({ 'before-run': script }, { given: { timeout: 5000 } })
    expect(code).toBe(exitCodes.failed)
    expect(err).toContain('timed out after 5 s')
    const child = Number(readFileSync(join(directory, 'child'), 'utf8'))
    await eventually(() => expect(() => process.kill(child, 0)).toThrow())
  })

  it('that lack their interpreter say so, once', async () => {
    const directory = temporaryFolder()
    const hooks = hooksIn(directory, { 'before-run': 'exit 0' })
    writeFileSync(join(directory, 'before-run.sh'), '#!/bin/sh\r\nexit 0\r\n')
    const { err } = await run({}, { hooks, directory })
    expect(err).toContain(
      '(muster.yaml:9:3), cannot be run: the interpreter in its first line does not exist',
    )
  })

  it('may print much and leave a process that keeps their output open', async () => {
    const script = 'head -c 52428800 /dev/zero; head -c 52428800 /dev/zero >&2; sleep 300 & echo $! > child'
    const { code, directory } = await run({ 'before-run': script })
    expect(code).toBe(exitCodes.ok)
    process.kill(Number(readFileSync(join(directory, 'child'), 'utf8')))
  })

  it('are stopped with the run; a stopped before-run changes nothing', async () => {
    const stop = (directory: string) =>
      eventually(() => expect(existsSync(join(directory, 'began'))).toBe(true))
    const { code, happened, err } = await run({ 'before-run': 'touch began; sleep 60' }, { stop })
    expect({ code, happened }).toEqual({ code: 'Interrupted', happened: [] })
    expect(err).toBe('Nothing was changed.\n')
  })

  it('stop a host in its before-host without failing it, and after-run still runs', async () => {
    const stop = (directory: string) =>
      eventually(() => expect(existsSync(join(directory, 'began'))).toBe(true))
    const scripts = { ...recording, 'before-host': 'touch began; sleep 60' }
    const { code, happened, events } = await run(scripts, { stop })
    expect(code).toBe(exitCodes.interrupted)
    expect(happened).toEqual(['kept'])
    expect(events.map(({ event }) => event)).toEqual(['before-run', 'after-run'])
    expect(events.at(-1)).toMatchObject({ outcome: 'stopped', exit: 130, results: { db1: 'not-started' } })
  })

  it('of the guide work: a downtime around the run, and a backup before the upgrade of a host', async () => {
    const directory = temporaryFolder()
    const tools = join(directory, 'tools')
    mkdirSync(tools)
    for (const [name, script] of [
      ['curl', '{ echo "$@"; cat; } >> called'],
      ['ssh', '[ "$1" != db2 ] || { echo no route >&2; exit 255; }; echo "dump by $*"'],
    ]) {
      writeFileSync(join(tools, String(name)), `#!/bin/sh\n${script}\n`)
      chmodSync(join(tools, String(name)), 0o755)
    }
    const page = 'docs/guide/hooks.md'
    for (const [name, text] of [
      ['downtime.sh', blockOf(page, 'bash')],
      ['backup.sh', blockOf(page, 'shell')],
    ] as const) {
      writeFileSync(join(directory, name), text)
      chmodSync(join(directory, name), 0o755)
    }
    const program = (...command: [string, ...string[]]) => ({ command, directory, place: 'muster.yaml:9:3' })
    const hooks: HooksConfig = {
      programs: {
        'before-run': program('./downtime.sh', 'begin'),
        'before-host': program('./backup.sh'),
        'after-run': program('./downtime.sh', 'end'),
      },
      timeout: 10_000,
      environment: ['MONITORING_TOKEN'],
    }
    const env = { PATH: `${tools}:${process.env.PATH}`, MONITORING_TOKEN: 'sentinel' }
    const given = { directory, hooks, env, rollout: oneByOne, operation: 'upgrade' }
    const { code, happened, err } = await run({}, given)
    expect(code).toBe(exitCodes.failed)
    expect(happened.filter((one) => one.endsWith('changed'))).toEqual(['db1 changed', 'db3 changed'])
    expect(err).toContain('no route')
    expect(err).not.toContain('sentinel')
    const called = readFileSync(join(directory, 'called'), 'utf8')
    expect(called.match(/action=(begin|end)/g)).toEqual(['action=begin', 'action=end'])
    expect(called).toContain('Authorization: Bearer sentinel\n')
    const dumps = readdirSync(join(directory, 'backups')).map((name) => name.replace(/-2026.*/, ''))
    expect(dumps).toEqual(['db1', 'db2', 'db3'])
  })

  it('learn what the guide shows, member by member', async () => {
    const [shown] = blocksOf('docs/guide/hooks.md').filter(({ language }) => language === 'json')
    const { events } = await run(recording, { failing: ['db2'] })
    const [failure] = events.filter(({ event }) => event === 'on-failure')
    const example = JSON.parse(shown?.text ?? '')
    expect(Object.keys(failure ?? {})).toEqual(Object.keys(example))
    const kinds = (one: object) => Object.values(one).map((value) => (value === null ? 'null' : typeof value))
    expect(kinds(failure ?? {})).toEqual(kinds(example))
  })

  it('are not run if another user could have changed them since', async () => {
    const directory = temporaryFolder()
    const hooks = hooksIn(directory, { 'before-run': 'true', 'before-host': 'true' })
    chmodSync(join(directory, 'before-host.sh'), 0o757)
    const { code, happened, err } = await run({}, { directory, hooks })
    expect(code).toBe(exitCodes.failed)
    expect(happened).toEqual(['kept'])
    expect(err.replaceAll(/\s+/g, ' ')).toContain('other users can change')
  })
})
