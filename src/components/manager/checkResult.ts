import type { TakenOffline } from '../../contracts/replicatorPayloads.ts'
import type { ReasonCode } from '../../contracts/routing.ts'
import { DatabaseError } from '../databases/databaseError.ts'
import type { ServerReading } from '../databases/probe.ts'

/**
 * Result of one check of a server. `failed`: clients cannot work with it either. `unable`: it is there, but does
 * not let us look, which says nothing of how clients fare.
 */
export type Observation =
  | { readonly kind: 'answered'; readonly reading: ServerReading }
  | { readonly kind: 'failed'; readonly error: DatabaseError }
  | { readonly kind: 'unable'; readonly error: DatabaseError }

/**
 * Numbers with which a server turns everybody away: it shuts down, it ended the connection. Any other concerns our
 * account, as a refused login does, or our host, as a block (1129) does: the server works, for clients of other hosts
 * too.
 */
const outages: ReadonlySet<number> = new Set([1053, 1927, 3169])

const isOutage = ({ code, number }: DatabaseError): boolean =>
  number === undefined ? code === 'unreachable' || code === 'timeout' : outages.has(number)

/** Turns a reading, or the `DatabaseError` that it ended with, into an observation. Any other error is a bug and rejects. */
export async function observe(check: Promise<ServerReading>): Promise<Observation> {
  try {
    return { kind: 'answered', reading: await check }
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    return { kind: isOutage(error) ? 'failed' : 'unable', error }
  }
}

/** Result of a check for one data source. `reason` is for people; null when all is well. */
export type Finding = {
  readonly result: 'passed' | 'failed' | 'unable'
  readonly code: ReasonCode | null
  readonly reason: string | null
  /** Set where a person took its replication offline: it failed on purpose. */
  readonly takenOffline?: TakenOffline
}
