import type { Transport } from '../../transport/transport.ts'

/** Describes what the rollback restored; `partial` if some of this run's changes remain, and which. */
export type Restored = string | { readonly partial: string }

/**
 * State of a host before a run changes it, and the only way to restore it. All functions reject with a `StepError` or
 * a `TransportError`, and may be repeated.
 */
export type Snapshot = {
  /** True if an interrupted run left its snapshot on the host. */
  readonly leftover?: boolean
  /** Copies what the run will change, before its first change; changes nothing else. */
  readonly take?: (transport: Transport) => Promise<void>
  /** Restores the previous state. */
  readonly restore?: (transport: Transport) => Promise<Restored>
  /**
   * Replaces `restore` for a run whose facts are enough to restore: reverts these steps, by id and newest first,
   * which succeeded or had started when they failed.
   */
  readonly restoreSteps?: (transport: Transport, started: readonly string[]) => Promise<void>
  /** Tells a host that it need not go back by itself; after the proof, before `discard`. */
  readonly confirm?: (transport: Transport) => Promise<void>
  /** Removes the copy once the new state is verified. */
  readonly discard?: (transport: Transport) => Promise<void>
}
