/** How many hosts go together: a number of them, or a share of those that change. */
export type BatchSize = { readonly hosts: number } | { readonly percent: number }

/** In which order, and how far, a run goes over its hosts (deployment.md, "Rolling"). */
export type Rollout = {
  /** The host that goes first and alone: the first one that changes, or the named one; absent: none. */
  readonly canary?: 'first' | { readonly host: string }
  /** Hosts with a primary database, which are a canary only where every host that changes has one. */
  readonly primaries?: readonly string[]
  /** Absent: all of them. */
  readonly batch?: BatchSize
  /** More failed hosts than that end the run before the next host begins; a failed canary always does. */
  readonly maxFailed: number
  /** What hosts do that are at work when another one fails: go on to their end, or stop after their step. */
  readonly onFailure: 'continue' | 'stop'
}

/** All hosts at once, as where nothing runs yet. */
export const allAtOnce: Rollout = { maxFailed: 0, onFailure: 'continue' }

/** A canary, then a quarter of the hosts at a time. */
export const carefully: Rollout = { ...allAtOnce, canary: 'first', batch: { percent: 25 } }
