import type { HostConfig } from '../config/model.ts'
import type { Transport } from '../transport/transport.ts'
import { failureOf, isUnreachable } from './hostFailure.ts'
import { mapHosts } from './mapHosts.ts'
import type { UnreachableHost } from './survey.ts'

/** Result of one host, in the order of the hosts. */
export type HostResult<Result> = { readonly host: HostConfig; readonly result: Result } | UnreachableHost

/** Connects to each host, runs `work` and closes the connection. A failure of one host affects no other. */
export async function onEachHost<Result>(options: {
  readonly hosts: readonly HostConfig[]
  readonly forks: number | undefined
  readonly connect: (host: HostConfig) => Promise<Transport>
  readonly work: (transport: Transport, host: HostConfig) => Promise<Result>
}): Promise<readonly HostResult<Result>[]> {
  const { hosts, forks, connect, work } = options
  return mapHosts({
    items: hosts,
    forks,
    map: async (host): Promise<HostResult<Result>> => {
      try {
        const transport = await connect(host)
        try {
          return { host, result: await work(transport, host) }
        } finally {
          await transport.close()
        }
      } catch (error) {
        return { host, failure: failureOf(error), unreachable: isUnreachable(error) }
      }
    },
  })
}
