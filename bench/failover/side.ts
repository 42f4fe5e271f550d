import type { LabHost } from '../../test/lab/support/labTypes.ts'
import type { WriteLoad } from '../../test/support/writeLoad.ts'

/** A cluster of three hosts whose lost primary is replaced without a person. */
export type Side = {
  readonly members: readonly LabHost[]
  /** Begins to write through these hosts. */
  readonly load: (through: readonly LabHost[]) => WriteLoad
  /** Waits until one primary has two replicas that follow it, and all that watches them says so; returns its host. */
  readonly settled: () => Promise<LabHost>
  /** Acknowledged rows that the primary lacks. */
  readonly lost: (load: WriteLoad) => Promise<readonly string[]>
  /** Removes the rows of all loads. */
  readonly clear: () => Promise<unknown>
  /** Processes of the database server of a host. */
  readonly serverProcesses: (host: LabHost) => readonly number[]
  /** Does for a server that was killed what a person does. */
  readonly startServer: (host: LabHost) => Promise<unknown>
  readonly stop: () => Promise<void>
}

/** Clients of a load: half of them connect for each transaction. */
export const clients = { each: 12, kept: 12 } as const
