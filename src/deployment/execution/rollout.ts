/** Number of hosts per batch, or a share of the hosts that change. */
export type BatchSize = { readonly hosts: number } | { readonly percent: number }

/** Order and limits of a run across its hosts (deployment.md, "Rolling"). */
export type Rollout = {
  /** Host that goes first and alone: the first that changes, or the named one; absent: none. */
  readonly canary?: 'first' | { readonly host: string }
  /** Hosts with a primary database; a canary only if every host that changes has one. */
  readonly primaries?: readonly string[]
  /** Absent: all of them. */
  readonly batch?: BatchSize
  /** If more hosts than this failed, no further host starts; a failed canary always ends the run. */
  readonly maxFailed: number
  /** Behaviour of hosts in progress when another one fails: complete all steps, or stop after the current step. */
  readonly onFailure: 'continue' | 'stop'
}

/** All hosts in parallel, for a first installation. */
export const allInParallel: Rollout = { maxFailed: 0, onFailure: 'continue' }

/** One host after another, each verified before the next. */
export const oneByOne: Rollout = { ...allInParallel, batch: { hosts: 1 } }

/** One canary, then a quarter of the hosts at a time. */
export const canaryThenBatches: Rollout = { ...allInParallel, canary: 'first', batch: { percent: 25 } }
