import type { Transport } from '../../transport/transport.ts'

/** What is so again, in a few sentences; `partly` where something of the run stays, with what that is. */
export type Restored = string | { readonly partly: string }

/**
 * The way back to what a host had before a run changes it. All reject with a `StepError` or a
 * `TransportError`, and tolerate being repeated.
 */
export type Before = {
  /** Whether an earlier run, which did not come to its end, left its copy on the host. */
  readonly leftover: boolean
  /** Copies what the run is about to change, before its first change; changes nothing else. */
  readonly remember?: (transport: Transport) => Promise<void>
  /** Makes the host what it was. */
  readonly restore?: (transport: Transport) => Promise<Restored>
  /** Takes the copy away once the new state is proved. */
  readonly forget: (transport: Transport) => Promise<void>
}
