import { mapLimit } from '../../../base/concurrency.ts'
import type { Emit, Failure } from '../../events.ts'
import { hostsAtOnce } from '../../execution/execute.ts'
import { failureOf, isUnreachable } from '../../failure.ts'
import type { AskedHost, HostWish } from './apiHost.ts'
import { askHost } from './askHost.ts'

/** What a host told, or why it could not be changed. */
export type Asked =
  | { readonly wish: HostWish; readonly asked: AskedHost }
  | { readonly wish: HostWish; readonly failure: Failure; readonly unreachable: boolean }

/** Asks all hosts before any of them is changed; one host's failure is its answer. */
export const askHosts = (options: {
  readonly wishes: readonly HostWish[]
  readonly signal: AbortSignal
  readonly emit: Emit
}): Promise<readonly Asked[]> =>
  mapLimit({
    items: options.wishes,
    limit: hostsAtOnce,
    map: async (wish): Promise<Asked> => {
      const { emit, signal } = options
      const { host } = wish
      emit({ type: 'phase-started', host, phase: 'facts' })
      try {
        return { wish, asked: await askHost(wish, signal) }
      } catch (error) {
        const failure = failureOf(error)
        emit({ type: 'host-failed', host, failure })
        return { wish, failure, unreachable: isUnreachable(error) }
      }
    },
  })
