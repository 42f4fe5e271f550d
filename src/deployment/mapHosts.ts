import { mapLimit } from '../base/concurrency.ts'

/** Usual number of hosts in progress. */
export const maxParallelHosts = 30

/** Maps hosts with at most `forks` in progress, keeping the order; rejects with the first rejection. */
export const mapHosts = <In, Out>(options: {
  readonly items: readonly In[]
  /** As --forks of the command that runs asks; absent: as many as is usual. */
  readonly forks: number | undefined
  readonly map: (item: In) => Promise<Out>
}): Promise<Out[]> => mapLimit({ ...options, limit: options.forks ?? maxParallelHosts })
