import type { Transport } from '../transport/transport.ts'
import type { KnownChange } from './differences.ts'
import type { HostFacts } from './facts/hostFacts.ts'

/** Change of a step: one line, and below it the differences; secrets show as [redacted]. */
export type StepChange = {
  /** Absent: something that exists is changed. */
  readonly kind?: 'create' | 'delete'
  readonly summary: string
  readonly details: readonly string[]
  /**
   * Maximum milliseconds in which it lets the clients of a running connector finish; such hosts take turns. Absent if
   * no such connector is restarted.
   */
  readonly drains?: number
  /** Differences of settings in their parts, from which a text for a person leaves out what follows from others. */
  readonly settings?: SettingsChange
}

/** Differences of the settings of a host: lines of its own options, and changes of what it knows of hosts. */
export type SettingsChange = {
  /** `change` is the line without the names of components. */
  readonly own: readonly { readonly line: string; readonly change: string }[]
  readonly known: readonly KnownChange[]
}

/** `stage` changes nothing that runs, `commit` switches over, `verify` cleans up after verification. */
export type StepPhase = 'stage' | 'commit' | 'verify'

/**
 * One idempotent part of a plan. `check` only calculates, so a preview matches the run; `apply` gets the facts that
 * `check` got, may be repeated after an interruption, and rejects with a `StepError` or a `TransportError`.
 */
export type Step<Facts = HostFacts> = {
  readonly id: string
  readonly title: string
  readonly phase: StepPhase
  readonly check: (facts: Facts) => StepChange | undefined
  readonly apply: (transport: Transport, facts: Facts) => Promise<void>
  /**
   * True if `apply` sends all requests to the host synchronously: such neighbouring steps of a phase share a round
   * trip. Each still runs only after those before it succeeded.
   */
  readonly batchable?: true
}

export const change = (summary: string, details: readonly string[] = []): StepChange => ({ summary, details })

/** Returns a change that creates something. */
export const creation = (summary: string, details: readonly string[] = []): StepChange => ({
  ...change(summary, details),
  kind: 'create',
})

/** Returns a change that deletes something. */
export const deletion = (summary: string, details: readonly string[] = []): StepChange => ({
  ...change(summary, details),
  kind: 'delete',
})

/** Returns a change of files: a creation if all `differences` are of files that do not exist yet. */
export const writing = (summary: string, differences: readonly string[]): StepChange =>
  differences.every((line) => line.endsWith(': new'))
    ? creation(summary, differences)
    : change(summary, differences)

/** Marks a change that restarts a connector with this drain timeout; returns it unchanged for 0. */
export const draining = (stepChange: StepChange, drains: number): StepChange =>
  drains > 0 ? { ...stepChange, drains } : stepChange
