import { setImmediate as nextTurn } from 'node:timers/promises'
import { HostText } from '../../base/hostText.ts'
import type { ProcessIdentity } from '../../base/processIdentity.ts'
import type { Transport } from '../../transport/transport.ts'
import { lockFailed, lockHeldError, parseLockResponse } from './heldLock.ts'
import { busyScript, needsAnnouncement, releaseScript, renewScript, takeScript } from './lockScripts.ts'
import { hasRunEnded, type RunOwner } from './runOwner.ts'

/** Minimum and maximum milliseconds between two attempts: many waiting runs must not retry together. */
const minPause = 500
const maxPause = 2_500

export type RetryTiming = {
  /** Maximum milliseconds to wait; 0 for one attempt. */
  readonly wait: number
  /** Milliseconds, monotonic. */
  readonly clock: () => number
  /** At least 0, below 1. */
  readonly random: () => number
  /** Rejects to end the wait at once. */
  readonly pause: (milliseconds: number) => Promise<unknown>
}

/**
 * Retries until an attempt returns `done` or the time is over; then returns the last outcome. Pauses have random
 * length; the last attempt is made when the time is over.
 */
export async function retryWhileHeld<Outcome>(
  timing: RetryTiming,
  options: {
    readonly attempt: () => Promise<Outcome>
    readonly done: (outcome: Outcome) => boolean
    /** Called before the first pause. */
    readonly waiting?: (outcome: Outcome) => void
  },
): Promise<Outcome> {
  const { wait, clock, random, pause } = timing
  const began = clock()
  for (let first = true; ; first = false) {
    const outcome = await options.attempt()
    const left = wait - (clock() - began)
    if (options.done(outcome) || left <= 0) return outcome
    if (first) options.waiting?.(outcome)
    await pause(Math.min(left, minPause + random() * (maxPause - minPause)))
  }
}

/** Milliseconds between two signs that the run is alive. */
const renewInterval = 60_000
const renewTimeout = 10_000

type Locking = {
  readonly installDirectory: string
  readonly owner: RunOwner
  /** Run above this process, under whose lock it works. */
  readonly parent?: ProcessIdentity
  /** Returns true if a process of this machine still runs. */
  readonly runs: (pid: number, started: string | undefined) => boolean
  /** Returns a script that is sent before the next one, and before the lock is released; empty for none. */
  readonly beforeNext: () => string
  /** Returns a script that is sent once before the next one, when it is not empty; not under the lock of a parent. */
  readonly takeOver?: () => string
  /** False for a command that has neither --lock-wait nor muster at hand. */
  readonly hasLockOptions?: boolean
}

/**
 * Wraps a transport to acquire the host's lock with its first script, in the same round trip, and to release it when
 * it is closed, without a round trip. The first `run` rejects with a `StepError`, code `locked`, while another run
 * holds the lock.
 */
export function lockingTransport(transport: Transport, locking: Locking): Transport {
  const { installDirectory, owner } = locking
  const { host } = transport
  let taken = false
  /** True if the script that acquires the lock failed without a readable response. */
  let mayHoldLock = false
  /** True while the run above this process holds the lock. */
  let joined = false
  let timer: ReturnType<typeof setInterval> | undefined
  let renewal: Promise<unknown> = Promise.resolve()

  const isParent = (holder: RunOwner | undefined): boolean =>
    locking.parent !== undefined &&
    holder?.pid === locking.parent.pid &&
    holder.started === locking.parent.started &&
    holder.machine === locking.parent.machine &&
    holder.machineId === owner.machineId

  let hasTakenOver = false
  const takeOver = (): string => {
    const script = hasTakenOver || joined ? '' : (locking.takeOver?.() ?? '')
    hasTakenOver ||= script !== ''
    return script
  }

  const first: Transport['run'] = async (script, options) => {
    const over = takeOver()
    const take = (broken?: string): ReturnType<Transport['run']> =>
      transport
        .run(
          `${takeScript({ installDirectory, owner, ...(broken === undefined ? {} : { broken }) })}${over}${script}`,
          options,
        )
        .catch((error: unknown) => {
          mayHoldLock = true
          throw error
        })
    let result = await take()
    let { response, rest } = parseLockResponse(result.stdout.raw())
    const holder = response.kind === 'held' ? response.lock.owner : undefined
    // Its process was on this machine and has ended: no need to wait for its heartbeat to stop.
    if (holder !== undefined && hasRunEnded(holder, owner, locking.runs)) {
      result = await take(holder.id)
      ;({ response, rest } = parseLockResponse(result.stdout.raw()))
    }
    if (response.kind === 'held' && isParent(response.lock.owner)) {
      joined = true
      return transport.run(script, options)
    }
    if (response.kind === 'held') {
      const here = response.lock.owner?.machine === owner.machine
      throw lockHeldError({
        host,
        lock: response.lock,
        here,
        hasLockOptions: locking.hasLockOptions !== false,
      })
    }
    if (response.kind !== 'taken') {
      throw lockFailed(host, response.kind === 'failed' ? response.why || String(result.stderr) : '')
    }
    taken = true
    timer = setInterval(() => {
      const renew = renewScript(installDirectory, owner.id)
      renewal = transport.run(renew, { timeout: renewTimeout }).catch(() => undefined)
    }, renewInterval)
    timer.unref()
    return { ...result, stdout: new HostText(rest) }
  }

  const close = async (): Promise<void> => {
    clearInterval(timer)
    if (taken || mayHoldLock) {
      await renewal
      // Leaves another run's lock; only the certain owner of the lock writes the record.
      const last = transport.run(
        `${taken ? locking.beforeNext() : ''}${releaseScript(installDirectory, owner.id)}`,
      )
      taken = false
      mayHoldLock = false
      // The script is sent before the end of the input: nothing waits for its response.
      await Promise.race([last.catch(() => undefined), nextTurn()])
    }
    await transport.close()
  }

  const busy = (timeout: number | undefined): string =>
    taken && needsAnnouncement(timeout)
      ? busyScript({ installDirectory, id: owner.id, seconds: Math.ceil(timeout / 1000) })
      : ''

  const through = (inner: Transport): Transport => ({
    host,
    run: (script, options) =>
      taken || joined
        ? inner.run(`${busy(options?.timeout)}${takeOver()}${locking.beforeNext()}${script}`, options)
        : first(script, options),
    upload: (...files) => inner.upload(...files),
    ...(inner.dial === undefined ? {} : { dial: inner.dial }),
    ...(inner.chain === undefined ? {} : { chain: () => through(inner.chain?.() ?? inner) }),
    close,
  })
  return through(transport)
}
