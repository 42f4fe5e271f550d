import type { Transport } from '../transport/transport.ts'
import type { HostFacts } from './facts/hostFacts.ts'

/** What a step would change: one line, and below it the differences; secrets show as [redacted]. */
export type StepChange = {
  /** Absent: something that is there becomes another. */
  readonly kind?: 'create' | 'delete'
  readonly summary: string
  readonly details: readonly string[]
  /**
   * Milliseconds for which it lets the clients of a running connector finish, at most; hosts take turns then.
   * Absent where no such connector is restarted.
   */
  readonly drains?: number
}

/** Phase of a run: `stage` touches nothing that runs, `commit` switches over, `verify` proves it and then tidies up. */
export type StepPhase = 'stage' | 'commit' | 'verify'

/**
 * One idempotent piece of a plan. `check` only calculates, so a preview cannot lie; `apply` gets the facts that `check`
 * got, must tolerate being repeated after it was interrupted, and rejects with a `StepError` or a `TransportError`.
 */
export type Step<Facts = HostFacts> = {
  readonly id: string
  readonly title: string
  readonly phase: StepPhase
  readonly check: (facts: Facts) => StepChange | undefined
  readonly apply: (transport: Transport, facts: Facts) => Promise<void>
  /**
   * Set where `apply` hands over all that it has to say to the host at once: such steps of a phase that follow each
   * other travel together. Each is still done only after those before it went well.
   */
  readonly atOnce?: true
}

/** A step's change without differences worth a line of their own. */
export const change = (summary: string, details: readonly string[] = []): StepChange => ({ summary, details })

/** A change that makes what is not there yet. */
export const creation = (summary: string, details: readonly string[] = []): StepChange => ({
  ...change(summary, details),
  kind: 'create',
})

/** A change that takes something away. */
export const deletion = (summary: string, details: readonly string[] = []): StepChange => ({
  ...change(summary, details),
  kind: 'delete',
})

/** A change of files: a creation where `differences` are all of files that are not there yet. */
export const writing = (summary: string, differences: readonly string[]): StepChange =>
  differences.every((line) => line.endsWith(': new'))
    ? creation(summary, differences)
    : change(summary, differences)

/** A change that restarts a connector whose clients may finish for that long; the same change for 0. */
export const draining = (told: StepChange, drains: number): StepChange =>
  drains > 0 ? { ...told, drains } : told
