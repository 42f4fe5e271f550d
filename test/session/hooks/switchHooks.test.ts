import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { processStartTime } from '../../../src/base/processIdentity.ts'
import { type ExitCode, exitCodes } from '../../../src/cli/exitCodes.ts'
import { newHolder } from '../../../src/deployment/state/stateGate.ts'
import type { HookEvent } from '../../../src/session/hooks/hookEvent.ts'
import { withSwitchHooks } from '../../../src/session/hooks/switchHooks.ts'
import { commandContext } from '../../config/commandContext.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

/** Switches with a hook before and after it, which record what they are told. */
async function switched(
  work: () => Promise<ExitCode>,
  {
    before = 'cat >> events',
    env = {},
    runAbove,
  }: {
    readonly before?: string
    readonly env?: object
    /** Command of a run of the process above this one. */
    readonly runAbove?: string
  } = {},
) {
  const directory = temporaryFolder()
  const program = (name: string, script: string) => {
    const path = join(directory, name)
    writeFileSync(path, `#!/bin/sh\n${script}\n`)
    chmodSync(path, 0o755)
    return { command: [`./${name}`] as const, directory, place: 'muster.yaml:9:3' }
  }
  const programs = {
    'before-run': program('before', before),
    'before-host': program('host', 'cat >> events'),
    'after-run': program('after', 'cat >> events'),
  }
  const { context, err } = commandContext({ cwd: directory, env: { PATH: process.env.PATH, ...env } })
  const config = { cluster: 'alpha', directory, hooks: { programs, timeout: 10_000, environment: [] } }
  if (runAbove !== undefined) writeLockOfParent(directory, runAbove)
  const exit = await withSwitchHooks(
    context,
    { operation: 'switch', config, hosts: ['db1', 'db2'] },
    work,
  ).catch((error: Error) => error.message)
  const file = join(directory, 'events')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  return { exit, events: lines.map((line): HookEvent => JSON.parse(line)), err: err(), directory }
}

function writeLockOfParent(directory: string, operation: string): void {
  const folder = join(directory, '.muster', 'alpha')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { pid: _, started: __, ...here } = newHolder(new Date())
  const lock = { ...here, pid: process.ppid, started: processStartTime(process.ppid), operation, hosts: [] }
  writeFileSync(join(folder, `lock-run-${lock.id}`), JSON.stringify(lock))
}

describe.skipIf(process.platform !== 'linux')('the hooks of a switch (needs Linux)', () => {
  it('run before and after it, with both hosts; a switch has no hooks for hosts', async () => {
    const { exit, events } = await switched(async () => exitCodes.ok)
    expect(exit).toBe(exitCodes.ok)
    expect(events).toMatchObject([
      { event: 'before-run', operation: 'switch', cluster: 'alpha', hosts: ['db1', 'db2'] },
      { event: 'after-run', outcome: 'ok', exit: 0 },
    ])
    expect(events[0]?.run).toBe(events[1]?.run)
  })

  it('keep the primary if before-run fails', async () => {
    let isSwitched = false
    const work = async () => {
      isSwitched = true
      return exitCodes.ok
    }
    const { exit, events, err } = await switched(work, { before: 'echo no window >&2; exit 3' })
    expect({ exit, isSwitched, events }).toEqual({ exit: exitCodes.failed, isSwitched: false, events: [] })
    expect(err).toContain('no window')
    expect(err).toContain('Nothing was changed.')
  })

  it('are told that a switch failed, also by an error', async () => {
    const refused = await switched(async () => exitCodes.failed)
    expect(refused.exit).toBe(exitCodes.failed)
    expect(refused.events.at(-1)).toMatchObject({ event: 'after-run', outcome: 'failed' })
    const broken = await switched(async () => {
      throw new Error('the connection was lost')
    })
    expect(broken.exit).toBe('the connection was lost')
    expect(broken.events.at(-1)).toMatchObject({ event: 'after-run', outcome: 'failed' })
  })

  it('are run whatever the environment says', async () => {
    const { exit, events } = await switched(async () => exitCodes.ok, { env: { MUSTER_HOOK: 'before-run' } })
    expect(exit).toBe(exitCodes.ok)
    expect(events.map(({ event }) => event)).toEqual(['before-run', 'after-run'])
  })

  it.each(['restart', 'switch'])('are not run by a switch that a hook of %s started', async (operation) => {
    const { exit, events } = await switched(async () => exitCodes.ok, { runAbove: operation })
    expect({ exit, events }).toEqual({ exit: exitCodes.ok, events: [] })
  })

  it('are shown by a lock that holds up no other run, and leaves nothing', async () => {
    const { events, directory } = await switched(async () => exitCodes.ok, {
      before: 'cat > /dev/null; cat .muster/alpha/lock-run-* >> events',
    })
    expect(events[0]).toMatchObject({ pid: process.pid, operation: 'switch', hosts: [] })
    expect(existsSync(join(directory, '.muster'))).toBe(false)
  })
})
