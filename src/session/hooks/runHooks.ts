import type { CommandContext } from '../../cli/context.ts'
import { exitCodes } from '../../cli/exitCodes.ts'
import { Interrupted } from '../../cli/interrupted.ts'
import type { ClusterConfig, HookProgram, HooksConfig } from '../../config/model.ts'
import { type HookName, hookNames } from '../../config/settings/hooks.ts'
import type { Emit } from '../../deployment/events.ts'
import type { HostHooks } from '../../deployment/execution/hostHooks.ts'
import { outcomeOf } from '../../deployment/execution/outcome.ts'
import type { RunOwner } from '../../deployment/lock/runOwner.ts'
import type { RunRecord } from '../../deployment/runs/runRecord.ts'
import { StepError } from '../../deployment/stepError.ts'
import { findProgram } from '../../processes/findProgram.ts'
import { runInGroup } from '../../processes/runInGroup.ts'
import { redactedErrorOutput } from '../../secrets/redactedErrorOutput.ts'
import { type HookEvent, type HookedRun, hookEvent } from './hookEvent.ts'

/** Hosts that a run changes, and how many changes there are. */
type HookedWork = readonly { readonly host: string; readonly steps: readonly unknown[] }[]

/** The hooks of one run; without programs in the file they do nothing. */
export type RunHooks = {
  /**
   * Runs before-run, once in a run that changes a host. Returns false, with the reason printed, if nothing may be
   * changed. Throws `Interrupted` if the operator stops it.
   */
  readonly begin: (work: HookedWork) => Promise<boolean>
  readonly forHosts: (emit: Emit) => HostHooks
  /** Runs after-run if the run went on after before-run. Never rejects. */
  readonly end: (result: {
    readonly exit: number
    /** Absent: the run ended by an error of its own. */
    readonly record?: RunRecord | undefined
  }) => Promise<void>
  /** Returns true if the run went on after before-run: it may have changed something. */
  readonly hasBegun: () => boolean
  /** Returns true if a program failed that could not hold up anything. */
  readonly hasFailedLater: () => boolean
}

/** Variable that tells a hook, and a muster that it starts, which hook it is. */
export const hookVariable = 'MUSTER_HOOK'

/** Returns what a script most often needs of an event, so that it need not read JSON. */
const variablesOf = ({ event, run, operation, host }: HookEvent): Readonly<Record<string, string>> => ({
  [hookVariable]: event,
  MUSTER_RUN: run,
  MUSTER_OPERATION: operation,
  ...(host === null ? {} : { MUSTER_HOST: host }),
})

/** Failure of a program; `message` names the hook and its place in the file. */
type HookFailure = { readonly message: string; readonly fix: string }

/** Returns the hooks of a run. `owner` is the run that a muster started by them may join. */
export function createRunHooks(options: {
  readonly context: CommandContext
  readonly config: Pick<ClusterConfig, 'hooks'>
  readonly owner: Pick<RunOwner, 'id' | 'operation' | 'cluster'>
  /** Waits for what a program left behind that still changes hosts. */
  readonly settle?: () => Promise<void>
}): RunHooks {
  const { context, owner, settle = () => Promise.resolve() } = options
  const { hooks } = options.config
  const started = context.now()
  let run: HookedRun = { ...owner, hosts: [], changes: 0, started }
  let state: 'waiting' | 'begun' | 'refused' | 'ended' = 'waiting'
  let failedLater = false

  const call = (event: HookEvent): Promise<HookFailure | undefined> => {
    const program = hooks?.programs[event.event]
    return hooks === undefined || program === undefined
      ? Promise.resolve(undefined)
      : runHook({ context, hooks, program, event }).finally(settle)
  }

  const forHosts = (emit: Emit): HostHooks => {
    const announce = (hook: HookName, host: string): void => {
      if (hooks?.programs[hook] !== undefined) emit({ type: 'hook-started', host, hook })
    }
    const warn = (failure: HookFailure | undefined): void => {
      if (failure === undefined) return
      failedLater = true
      emit({ type: 'notice', message: `warning: ${failure.message}` })
    }
    return {
      before: async (host, changes) => {
        announce('before-host', host)
        const failure = await call(hookEvent('before-host', run, { host, changes }))
        if (failure === undefined) return
        throw new StepError({
          host,
          code: 'hook-failed',
          message: `${failure.message}\nThe host was not changed.`,
          fix: failure.fix,
        })
      },
      after: async (host, changes) => {
        announce('after-host', host)
        const ended = context.now().toISOString()
        warn(await call(hookEvent('after-host', run, { host, changes, outcome: 'changed', ended })))
      },
      failed: async (progress) => {
        const { host, steps } = progress.work
        const { result, failure, undone = false } = outcomeOf(progress)
        warn(
          await call(
            hookEvent('on-failure', run, {
              host,
              changes: steps.length,
              outcome: result,
              restored: undone,
              failure: failure === undefined ? null : { code: failure.code, message: failure.message },
              ended: context.now().toISOString(),
            }),
          ),
        )
      },
    }
  }

  return {
    forHosts,
    hasBegun: () => state === 'begun' || state === 'ended',
    hasFailedLater: () => failedLater,
    begin: async (work) => {
      const changing = work.filter(({ steps }) => steps.length > 0)
      if (state !== 'waiting' || changing.length === 0) return state !== 'refused'
      const changes = changing.reduce((sum, { steps }) => sum + steps.length, 0)
      run = { ...run, hosts: changing.map(({ host }) => host), changes }
      const failure = await call(hookEvent('before-run', run))
      if (failure !== undefined && context.signal.aborted) throw new Interrupted()
      state = failure === undefined ? 'begun' : 'refused'
      if (failure === undefined) return true
      context.stderr.write(`error: ${failure.message} [hook-failed]\n  fix: ${failure.fix}\n`)
      return false
    },
    end: async ({ exit, record }) => {
      if (state !== 'begun') return
      state = 'ended'
      const results = record && Object.fromEntries(record.hosts.map(({ host, result }) => [host, result]))
      const failure = await call(
        hookEvent('after-run', run, {
          outcome: outcomeOfRun(exit),
          results: results ?? null,
          ended: context.now().toISOString(),
          exit,
        }),
      )
      if (failure === undefined) return
      failedLater = true
      context.stderr.write(`warning: ${failure.message}\n  fix: ${failure.fix}\n`)
    },
  }
}

/** Returns one word for the end of a run: ok, failed or stopped. */
export const outcomeOfRun = (exit: number): 'ok' | 'failed' | 'stopped' => {
  if (exit === exitCodes.ok) return 'ok'
  return exit === exitCodes.interrupted ? 'stopped' : 'failed'
}

/** Lists the hooks of a file as a note of a plan; none for a file without hooks. Arguments may be private. */
export function hookNotes({ hooks }: Pick<ClusterConfig, 'hooks'>): readonly string[] {
  const named = hookNames.flatMap((name) => {
    const program = hooks?.programs[name]
    return program === undefined ? [] : [`${name} ${program.command[0]}`]
  })
  return named.length === 0 ? [] : [`hooks on this machine: ${named.join(', ')}`]
}

/** Runs a program with an event on its standard input. Never rejects. */
async function runHook(options: {
  readonly context: CommandContext
  readonly hooks: HooksConfig
  readonly program: HookProgram
  readonly event: HookEvent
}): Promise<HookFailure | undefined> {
  const { context, hooks, program, event } = options
  const { env } = context
  const [name, ...words] = program.command
  const of = event.host === null ? '' : ` of ${event.host}`
  const called = `the ${event.event} hook${of}, ${name} (${program.place}),`
  const found = findProgram(name, { cwd: program.directory, env })
  if ('problem' in found) return { message: `${called} ${found.problem}`, fix: found.fix }
  const extraEnv = Object.fromEntries(
    hooks.environment.flatMap((variable): [string, string][] => {
      const value = env[variable]
      return value === undefined ? [] : [[variable, value]]
    }),
  )
  // After Ctrl-C there is still something to clean up; what is told to stop while it runs stops.
  const signal = context.signal.aborted ? new AbortController().signal : context.signal
  const { failure, stderr, stdout } = await runInGroup({
    command: [found.path, ...words],
    stdin: `${JSON.stringify(event)}\n`,
    timeout: hooks.timeout,
    cwd: program.directory,
    env,
    extraEnv: { ...extraEnv, ...variablesOf(event) },
    signal,
  })
  if (failure === undefined) return undefined
  const said = redactedErrorOutput(stderr.trim() === '' ? stdout : stderr, Object.values(extraEnv))
  return {
    message: `${called} ${failure}${said === '' ? '' : ` and said: ${said}`}`,
    fix: 'Correct what it says, then run the command again. To try it by hand, give it the JSON of docs/guide/hooks.md.',
  }
}
