import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../src/cli/exitCodes.ts'
import { change } from '../../src/deployment/step.ts'
import { StepError } from '../../src/deployment/stepError.ts'
import { type Refusal, type RunPlan, refusalFor, runPlan } from '../../src/session/runPlan.ts'
import { beginSession } from '../../src/session/session.ts'
import { withRun } from '../../src/session/withRun.ts'
import { commandContext } from '../config/commandContext.ts'
import { hostConfig } from '../support/deploymentValues.ts'
import { fakeTransport } from '../support/fakeTransport.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

/** Brings a plan to its end on hosts that take every step, and keeps the order of what happened. */
async function run(
  make: (happened: string[]) => RunPlan | Refusal,
  options: { readonly typed?: string; readonly json?: boolean; readonly hosts?: readonly string[] } = {},
) {
  const { typed, json = false, hosts = ['db1', 'db2'] } = options
  const directory = temporaryFolder()
  const { context, out, err } = commandContext({ cwd: directory, ...(typed !== undefined && { typed }) })
  const config = { cluster: 'alpha', directory, services: [], hosts: hosts.map(named), excluded: [] }
  const happened: string[] = []
  const code = await withRun({ context, config, json, operation: 'test', lockWait: 0 }, async (locked) => {
    const session = await beginSession({ context, config, json, yes: typed === undefined, run: locked })
    return runPlan({ ...session, survey: { reached: [], unreachable: [] } }, make(happened))
  })
  return { code, happened, out: out(), err: err() }
}

const named = (name: string) => hostConfig({ name })

/** Work of one host: a step where it changes, and a proof. */
const workOf = (host: string, happened: string[], changes = true): RunPlan['work'][number] => {
  const step: RunPlan['work'][number]['steps'][number]['step'] = {
    id: 'one',
    title: 'one thing',
    phase: 'commit',
    apply: async () => void happened.push(`${host} changed`),
  }
  return {
    host,
    address: host,
    transport: fakeTransport({ host }),
    steps: changes ? [{ step, change: change('change one thing') }] : [],
    verify: async () => {
      happened.push(`${host} proved`)
      return 'proved'
    },
  }
}

const planOf = (happened: string[], changes = true): RunPlan => ({
  work: [workOf('db1', happened, changes)],
  notes: ['a note'],
  executeAndSave: async (execute) => {
    happened.push('kept')
    const { exit, verified } = await execute()
    happened.push(`settled ${verified.join(' ')}`)
    return exit
  },
})

describe('runPlan', () => {
  it('shows the plan, asks, saves, executes, and saves the verified result', async () => {
    const { code, happened, out, err } = await run((log) => planOf(log), { typed: 'yes\n', hosts: ['db1'] })
    expect(code).toBe(exitCodes.ok)
    expect(happened).toEqual(['kept', 'db1 changed', 'db1 proved', 'settled db1'])
    expect(out).toContain('alpha: changes on 1 of 1 host\n  * a note\n')
    expect(err).toBe('Go on? [yes/no] ')
  })

  it('changes nothing without confirmation', async () => {
    const { code, happened, err } = await run((log) => planOf(log), { typed: 'no\n' })
    expect({ code, happened }).toEqual({ code: exitCodes.failed, happened: [] })
    expect(err).toBe('Go on? [yes/no] Nothing was changed.\n')
  })

  it('does not ask if no host changes, but verifies the hosts', async () => {
    const { code, happened, err } = await run((log) => planOf(log, false), { typed: 'no\n', hosts: ['db1'] })
    expect(code).toBe(exitCodes.ok)
    expect({ happened, err }).toEqual({ happened: ['kept', 'db1 proved', 'settled db1'], err: '' })
  })

  it('asks if no host but something else changes', async () => {
    const { code, happened } = await run((log) => ({ ...planOf(log, false), alwaysConfirms: true }), {
      typed: 'no\n',
    })
    expect({ code, happened }).toEqual({ code: exitCodes.failed, happened: [] })
  })

  it('refuses with the failures of hosts, and an outcome for each in the order of the file', async () => {
    const problem = new StepError({ host: 'db2', code: 'port-in-use', message: 'no room', fix: 'make room' })
    const { code, out, err } = await run(() => refusalFor([problem]), { json: true, hosts: ['db1', 'db2'] })
    expect(code).toBe(exitCodes.failed)
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.map(({ type }) => type)).toEqual(['run-started', 'host-failed', 'run-ended'])
    expect(events[2].outcomes).toMatchObject([
      { host: 'db1', result: 'not-started' },
      { host: 'db2', result: 'failed', failure: { code: 'port-in-use' } },
    ])
    expect(err).toBe('Nothing was changed.\n')
  })

  it('refuses without repeating failures that were printed', async () => {
    const failed = refusalFor([new StepError({ host: 'db1', code: 'failed', message: 'no room', fix: 'y' })])
    const { code, out, err } = await run(() => ({
      ...failed,
      reported: true,
      interrupted: true,
      message: 'Not now.',
    }))
    expect(code).toBe(exitCodes.interrupted)
    expect(`${out}${err}`).not.toContain('[failed]')
    expect(err).toBe('Not now.\n')
  })
})
