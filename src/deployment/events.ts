import type { FailureCode } from '../diagnostics/failures.ts'

/** Phases of a run, in order; a host starts a phase only after it ended the one before. */
export const phases = ['connect', 'facts', 'stage', 'commit', 'verify'] as const

export type Phase = (typeof phases)[number]

/** Failure as the renderers show it. */
export type Failure = { readonly code: FailureCode; readonly message: string; readonly fix: string }

/** Result of a run on one host. */
export type HostOutcome = {
  readonly host: string
  readonly result: 'changed' | 'unchanged' | 'failed' | 'unreachable' | 'stopped' | 'not-started'
  /** Titles of the applied steps. */
  readonly applied: readonly string[]
  /** Number of `applied`, from the first, that changed nothing that runs; the others were committed. Absent: none. */
  readonly staged?: number
  readonly failure?: Failure
  /** Why the host was not started, or stopped, because another host failed. */
  readonly reason?: string
  /** Remaining steps of a host that was stopped between two steps. */
  readonly left?: readonly string[]
  /** The host failed, and its committed changes were restored. */
  readonly undone?: boolean
  /** Summary of the verification. */
  readonly proved?: string
  readonly seconds: Readonly<Partial<Record<Phase, number>>>
}

/** Events of a run; only renderers print them. No event holds a secret. */
export type DeploymentEvent =
  | {
      readonly type: 'run-started'
      /** Id of the run in `muster audit`. */
      readonly run: string
      readonly operation: string
      readonly cluster: string
      readonly hosts: readonly string[]
    }
  | { readonly type: 'planned'; readonly host: string; readonly changes: readonly string[] }
  | {
      /** The next hosts switch over. Hosts of `inTurn` do so one after another, the others in parallel. */
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
  /** A program of the operator runs for a host. */
  | { readonly type: 'hook-started'; readonly host: string; readonly hook: string }
  /** The operator asked the run to stop: each host completes its current step. */
  | { readonly type: 'stopping' }
  | { readonly type: 'notice'; readonly message: string }
  | {
      readonly type: 'run-ended'
      readonly outcomes: readonly HostOutcome[]
      readonly interrupted: boolean
    }

export type Emit = (event: DeploymentEvent) => void
