/** The phases of a run, in order; a host never starts one before the one before it has ended for it. */
export const phases = ['connect', 'facts', 'stage', 'commit', 'verify'] as const

export type Phase = (typeof phases)[number]

/** A failure as the renderers show it. */
export type Failure = { readonly code: string; readonly message: string; readonly fix: string }

/** How a host came out of a run. */
export type HostOutcome = {
  readonly host: string
  readonly result: 'changed' | 'unchanged' | 'failed' | 'unreachable' | 'stopped' | 'not-started'
  /** Titles of the steps that were applied. */
  readonly applied: readonly string[]
  /** Number of `applied`, from the first, that touched nothing that runs; the others were committed. Absent: none. */
  readonly staged?: number
  readonly failure?: Failure
  /** Why it was not started, or stopped, where another host's failure is the reason. */
  readonly reason?: string
  /** Of one that was stopped between two steps: what is still to be done. */
  readonly left?: readonly string[]
  /** The host failed, and what was committed was taken back again. */
  readonly undone?: boolean
  /** What the verification proved, in a few words. */
  readonly proved?: string
  /** Seconds spent in each phase. */
  readonly seconds: Readonly<Partial<Record<Phase, number>>>
}

/** Everything that a run tells; the renderers alone print. No event holds a secret. */
export type DeploymentEvent =
  | {
      readonly type: 'run-started'
      /** What `muster audit` knows it by. */
      readonly run: string
      readonly operation: string
      readonly cluster: string
      readonly hosts: readonly string[]
    }
  | { readonly type: 'planned'; readonly host: string; readonly changes: readonly string[] }
  | {
      /** The next hosts switch over. Those of `inTurn` do so one after another, the others at once. */
      readonly type: 'wave-started'
      /** From 1. */
      readonly wave: number
      readonly of: number
      readonly canary: boolean
      readonly hosts: readonly string[]
      readonly inTurn: readonly string[]
    }
  | { readonly type: 'phase-started'; readonly host: string; readonly phase: Phase }
  | { readonly type: 'phase-done'; readonly host: string; readonly phase: Phase; readonly seconds: number }
  | { readonly type: 'step-started'; readonly host: string; readonly step: string; readonly title: string }
  | {
      readonly type: 'step-done'
      readonly host: string
      readonly step: string
      readonly title: string
      readonly seconds: number
    }
  | {
      readonly type: 'step-undone'
      readonly host: string
      readonly step: string
      readonly title: string
      readonly seconds: number
    }
  | { readonly type: 'host-failed'; readonly host: string; readonly failure: Failure }
  /** Somebody wishes the run to end: each host ends the step it is at. */
  | { readonly type: 'stopping' }
  | { readonly type: 'notice'; readonly message: string }
  | {
      readonly type: 'run-ended'
      readonly outcomes: readonly HostOutcome[]
      readonly interrupted: boolean
    }

/** Where events go. */
export type Emit = (event: DeploymentEvent) => void
