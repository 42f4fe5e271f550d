import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type ProcessIdentity, thisProcess } from '../base/processIdentity.ts'
import { listOf } from '../base/words.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { lineLayout } from '../cli/terminal.ts'
import type { ClusterConfig } from '../config/model.ts'
import { type RetryTiming, retryWhileHeld } from '../deployment/lock/lockingTransport.ts'
import { type RunOwner, runId } from '../deployment/lock/runOwner.ts'
import { createRecorder, type Recorder } from '../deployment/runs/recorder.ts'
import { hasChangedHosts } from '../deployment/runs/runRecord.ts'
import { appendRun, hasState } from '../deployment/runs/runsFile.ts'
import { joinState, type LockedHosts, lockState, type StateLock } from '../deployment/state/lockState.ts'
import { StateError } from '../deployment/state/stateError.ts'
import type { StatePlace } from '../deployment/state/statePlace.ts'
import type { Renderer } from '../output/deployment/progress.ts'
import { verdictText } from '../output/deployment/verdict.ts'
import { createRunHooks, hookVariable, type RunHooks } from './hooks/runHooks.ts'
import { runNotification } from './hooks/runNotification.ts'
import { notify } from './notify.ts'
import { notStarted } from './outcomes.ts'
import { namesOf } from './selectTargets.ts'

/** One run of a command that changes hosts. */
export type Run = {
  readonly owner: RunOwner
  /** Run above this process, whose hook started it; this one works under its locks. */
  readonly parent?: ProcessIdentity
  readonly hooks: RunHooks
  readonly retryTiming: RetryTiming
  readonly recorder: Recorder
  /** The same renderer, whose events the record of the run follows. */
  readonly follow: (renderer: Renderer) => Renderer
  /** Records, once, that the run begins to work on hosts, if only to verify them: a run that is killed then is known. */
  readonly begin: () => Promise<void>
  readonly hasBegun: () => boolean
  /** Keeps no record: the operator deleted the state directory. */
  readonly discardRecord: () => void
  /** Sets the text below the verdict of a run that changed every host. */
  readonly setClosingText: (text: string) => void
  /** Sets what does not work although every host was changed; the run ends with the code `incomplete`. */
  readonly setShortcoming: (text: string) => void
  /** Waits for an answer of the user; that time does not count as time of the run. */
  readonly waitFor: <Answer>(answer: () => Promise<Answer>) => Promise<Answer>
}

/**
 * Does the work of a run while holding the lock of its hosts in the state directory, and records its outcome. Prints
 * the verdict last. Waits at most `lockWait` milliseconds for a lock of another run.
 */
export async function withRun(
  options: {
    readonly context: CommandContext
    readonly config: ClusterConfig
    readonly operation: string
    readonly lockWait: number
    /** Set for a run that changes what all hosts share: no other goes on meanwhile, whatever its hosts are. */
    readonly locksCluster?: boolean
    /** Events for programs instead of words for people. */
    readonly json: boolean
  },
  work: (run: Run) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { context, config, operation } = options
  const { cluster, directory } = config
  const place = { directory, cluster }
  const id = runId(context.now(), randomBytes(3).toString('hex'))
  const owner = { id, operation, cluster, ...thisProcess() }
  const recorder = createRecorder({ owner, version: context.version, now: context.now })
  const retryTiming = retryTimingOf(context, options.lockWait)
  const began = performance.now()
  let waited = 0
  let closing = ''
  let shortcoming = ''
  let kept = true
  let begun = false
  let followed: Renderer | undefined
  const hosts: LockedHosts = options.locksCluster === true ? 'all' : namesOf(config.hosts)
  const request = { now: context.now(), operation, hosts }
  const joined = await joinState(place, { ...request, pause: retryTiming.pause })
  const lock = joined ?? (await lockStateWithRetry({ context, place, retryTiming, request }))
  const hooks = createRunHooks({
    context,
    // The hooks of the run above are the ones that run now.
    config: joined === undefined ? config : {},
    owner,
    settle: () => lock.waitForGuests(retryTiming.pause).catch(() => undefined),
  })
  const end = async (exit: ExitCode): Promise<void> => {
    const record = recorder.record(exit)
    await hooks.end({ exit, record })
    if (joined !== undefined || (!hooks.hasBegun() && (record === undefined || exit === exitCodes.ok))) return
    await notify(context, {
      config,
      event: runNotification(owner, { exit, record, ...recorder.unfinished() }),
    })
  }
  try {
    if (joined !== undefined) requireJoinable(context, operation)
    const exit = await work({
      owner,
      ...(joined && { parent: joined.parent }),
      hooks,
      retryTiming,
      recorder,
      follow: (renderer) => {
        followed = {
          ...renderer,
          emit: (event) => {
            recorder.observe(event)
            renderer.emit(event)
          },
        }
        return followed
      },
      begin: async () => {
        if (begun) return
        begun = true
        // An installation has saved its state by now; a run that may change nothing creates no folder.
        if (await hasState(place)) await appendRun(place, recorder.unfinished())
      },
      hasBegun: () => begun,
      discardRecord: () => {
        kept = false
      },
      setClosingText: (text) => {
        closing = text
      },
      setShortcoming: (text) => {
        shortcoming = text
      },
      waitFor: async (answer) => {
        const asked = performance.now()
        try {
          return await answer()
        } finally {
          waited += performance.now() - asked
        }
      },
    })
    const record = recorder.record(exit)
    if (record !== undefined && kept) {
      // A run that changed nothing creates no state directory.
      if (hasChangedHosts(record) || (await hasState(place))) await appendRun(place, record)
    }
    await end(exit)
    if (record !== undefined && !options.json) {
      const seconds = (performance.now() - began - waited) / 1000
      const { stdout } = context
      stdout.write(
        verdictText(record.hosts, {
          ...{ exit, seconds, shortcoming, reasons: begun },
          ...lineLayout(context, stdout),
        }),
      )
      const isDone = exit === exitCodes.ok || exit === exitCodes.incomplete
      if (isDone && context.verbosity !== 'quiet') stdout.write(closing)
    }
    if (exit !== exitCodes.ok || !hooks.hasFailedLater()) return exit
    context.stderr.write('warning: a hook failed, so the exit code is 1; every host is as it should be.\n')
    return exitCodes.failed
  } catch (error) {
    // Stopped before its steps, which report their own end.
    if (error instanceof Interrupted && !begun) {
      followed?.emit({
        type: 'run-ended',
        outcomes: recorder.unfinished().targets.map(notStarted),
        interrupted: true,
      })
      if (!error.reported) context.stderr.write('Nothing was changed.\n')
    }
    if (hooks.hasBegun()) await end(error instanceof Interrupted ? exitCodes.interrupted : exitCodes.failed)
    throw error
  } finally {
    await lock.release()
  }
}

/** Commands that a hook may run at any moment: what the run has decided stays right, and its state as it is. */
const joinableAlways: readonly string[] = ['start', 'stop', 'restart']

/** Throws a `StateError` for a command that a hook may only run when the run has changed everything. */
function requireJoinable({ env }: CommandContext, operation: string): void {
  const hook = env[hookVariable]
  if (hook === 'after-run' || joinableAlways.includes(operation)) return
  throw new StateError({
    code: 'locked',
    message: `${hook === undefined ? 'a hook' : `the ${hook} hook`} of the run that holds the lock started this command, and only ${listOf(joinableAlways)} work under the lock of a run that goes on`,
    fix: `run \`muster ${operation}\` in the after-run hook`,
  })
}

/** Returns how a command waits for locks; Ctrl-C ends the wait. */
function retryTimingOf(context: CommandContext, wait: number): RetryTiming {
  const { signal } = context
  return {
    wait,
    clock: () => performance.now(),
    random: () => randomBytes(2).readUInt16BE() / 0x10000,
    pause: (milliseconds) =>
      pause(milliseconds, undefined, { signal }).catch(() => {
        throw new Interrupted()
      }),
  }
}

async function lockStateWithRetry(options: {
  readonly context: CommandContext
  readonly place: StatePlace
  readonly retryTiming: RetryTiming
  readonly request: { readonly now: Date; readonly operation: string; readonly hosts: LockedHosts }
}): Promise<StateLock> {
  const { context, place, retryTiming, request } = options
  const outcome = await retryWhileHeld<StateLock | StateError>(retryTiming, {
    attempt: () =>
      lockState(place, { ...request, hasLockWait: true }).catch((error: unknown) => {
        if (error instanceof StateError && error.code === 'locked') return error
        throw error
      }),
    done: (one) => !(one instanceof StateError),
    waiting: (one) => {
      if (one instanceof StateError) context.stderr.write(`waiting: ${one.message}\n`)
    },
  })
  if (outcome instanceof StateError) throw outcome
  return outcome
}
