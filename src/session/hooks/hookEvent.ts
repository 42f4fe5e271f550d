import type { HookName } from '../../config/settings/hooks.ts'
import type { HostOutcome } from '../../deployment/events.ts'
import type { RunOwner } from '../../deployment/lock/runOwner.ts'

/**
 * JSON on the standard input of a hook; docs/guide/hooks.md describes it. All members are always there, null where they
 * mean nothing yet. A member may be added; `version` changes if one changes or goes. No secrets.
 */
export type HookEvent = {
  readonly version: 1
  readonly event: HookName
  /** Id of the run in `muster audit`. */
  readonly run: string
  readonly operation: string
  readonly cluster: string
  /** Null for before-run and after-run. */
  readonly host: string | null
  /** Hosts that the run changes, in the order of the file. */
  readonly hosts: readonly string[]
  /** Number of planned changes: of the host, or of all hosts. */
  readonly changes: number
  /** Of the host, or of the run: ok, failed or stopped. */
  readonly outcome: HostOutcome['result'] | 'ok' | null
  /** True if a failed host was restored. */
  readonly restored: boolean | null
  /** Why the host failed. */
  readonly failure: { readonly code: string; readonly message: string } | null
  /** Result of each host that took part, by its name. */
  readonly results: Readonly<Record<string, HostOutcome['result']>> | null
  /** RFC 3339. */
  readonly started: string
  readonly ended: string | null
  /** Exit code of the run as far as its hosts decide it. */
  readonly exit: number | null
}

/** Facts of a run that are the same for each of its events. */
export type HookedRun = Pick<RunOwner, 'operation' | 'cluster'> & {
  readonly id: string
  readonly hosts: readonly string[]
  readonly changes: number
  readonly started: Date
}

/** Returns the event at a moment of a run, without what only later ones have. */
export const hookEvent = (event: HookName, run: HookedRun, facts: Partial<HookEvent> = {}): HookEvent => ({
  version: 1,
  event,
  run: run.id,
  operation: run.operation,
  cluster: run.cluster,
  host: null,
  hosts: run.hosts,
  changes: run.changes,
  outcome: null,
  restored: null,
  failure: null,
  results: null,
  started: run.started.toISOString(),
  ended: null,
  exit: null,
  ...facts,
})
