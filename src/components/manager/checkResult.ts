import type { DataSourceRole } from '../../contracts/servicesMap.ts'
import { DatabaseError } from '../databases/databaseError.ts'
import type { Channel, ThreadError } from '../databases/dialect.ts'
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
  readonly reason: string | null
}

const replicates: ReadonlySet<DataSourceRole> = new Set(['replica', 'relay', 'standby', 'archive'])

const words = (error: ThreadError | null): string =>
  error ? ` ERROR ${error.number}: ${error.message.trim().replace(/([^.])$/, '$1.')}` : ''

/** Returns why a channel does not replicate by itself, with the server's number and words. */
function stoppedReason({ applier, applierError, receiver, receiverError }: Channel): string | undefined {
  if (applier === 'stopped') return `The applier is stopped.${words(applierError)}`
  if (receiver === 'stopped') return `The receiver is stopped.${words(receiverError)}`
  return undefined
}

/** A receiver that retries misses its primary: not the replica's failure, and reported only once it has an error. */
const waitingReason = ({ receiver, receiverError }: Channel): string | undefined =>
  receiver === 'connecting' && receiverError
    ? `The receiver cannot connect to the primary, and tries again.${words(receiverError)}`
    : undefined

const named = ({ name }: Channel, sentence: string): string =>
  name === '' ? sentence : `Channel ${name}: ${sentence}`

/** Evaluates an observation by the role of the data source. Being late is no failure. */
export function findingOf(observation: Observation, role: DataSourceRole): Finding {
  if (observation.kind === 'failed') return { result: 'failed', reason: observation.error.message }
  if (observation.kind === 'unable') {
    const reason = `It cannot be checked. ${observation.error.message}`
    return { result: 'unable', reason }
  }
  const { channels } = observation.reading
  if (!replicates.has(role)) return { result: 'passed', reason: null }
  if (channels.length === 0) {
    const reason = `It is a ${role} by the services map, but does not replicate. Set up its replication.`
    return { result: 'failed', reason }
  }
  const told = (sentenceOf: (channel: Channel) => string | undefined): string =>
    channels
      .flatMap((channel) => {
        const sentence = sentenceOf(channel)
        return sentence === undefined ? [] : [named(channel, sentence)]
      })
      .join(' ')
  const problem = told(stoppedReason)
  if (problem !== '') return { result: 'failed', reason: problem }
  return { result: 'passed', reason: told(waitingReason) || null }
}
