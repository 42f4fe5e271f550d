import type { HostProgress } from './hostRun.ts'

/** Programs of the operator around the commit of a host; only hosts that change have them. */
export type HostHooks = {
  /** Rejects if the host must stay as it is. */
  readonly before: (host: string, changes: number) => Promise<void>
  /** Never rejects. */
  readonly after: (host: string, changes: number) => Promise<void>
  /** Runs once for a host that failed, after its restore. Never rejects. */
  readonly failed: (progress: HostProgress) => Promise<void>
}

/** For a run without hooks. */
export const noHostHooks: HostHooks = {
  before: () => Promise.resolve(),
  after: () => Promise.resolve(),
  failed: () => Promise.resolve(),
}
