import type { Transport } from '../../transport/transport.ts'

/** Describes what was restored, in a few sentences; `partly` where something of the run stays, with what that is. */
export type Restored = string | { readonly partly: string }

/**
 * State of a host before a run changes it, and the one way back to it. All functions reject with a `StepError` or a
 * `TransportError`, and tolerate being repeated.
 */
export type Snapshot = {
  /** True where an earlier run, which did not come to its end, left its snapshot on the host. */
  readonly leftover?: boolean
  /** Copies what the run is about to change, before its first change; changes nothing else. */
  readonly take?: (transport: Transport) => Promise<void>
  /** Makes the host what it was. */
  readonly restore?: (transport: Transport) => Promise<Restored>
  /**
   * In place of `restore` for a run whose facts are all that it needs for the way back: undoes what these steps, by their
   * ids and newest first, did or had begun when they failed.
   */
  readonly restoreSteps?: (transport: Transport, begun: readonly string[]) => Promise<void>
  /** Removes the copy once the new state is proved. */
  readonly discard?: (transport: Transport) => Promise<void>
}
