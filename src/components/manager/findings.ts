import type { DataSourceRole } from '../../contracts/servicesMap.ts'
import type { Channel, ThreadError } from '../databases/channel.ts'
import type { Observation } from './observation.ts'

/** What an observation of its server means for a data source. `reason` is for people; null when all is well. */
export type Finding = {
  readonly result: 'passed' | 'failed' | 'unable'
  readonly reason: string | null
}

const replicates: ReadonlySet<DataSourceRole> = new Set(['replica', 'relay', 'standby', 'archive'])

const words = (error: ThreadError | null): string =>
  error ? ` ERROR ${error.number}: ${error.message.trim().replace(/([^.])$/, '$1.')}` : ''

/** What keeps a channel from replicating by itself, with the server's number and words. */
function stopped({ applier, applierError, receiver, receiverError }: Channel): string | undefined {
  if (applier === 'stopped') return `The applier is stopped.${words(applierError)}`
  if (receiver === 'stopped') return `The receiver is stopped.${words(receiverError)}`
  return undefined
}

/** A receiver that tries again by itself misses its primary: not the replica's failure, and told only once it has an error. */
const waits = ({ receiver, receiverError }: Channel): string | undefined =>
  receiver === 'connecting' && receiverError
    ? `The receiver cannot connect to the primary, and tries again.${words(receiverError)}`
    : undefined

const named = ({ name }: Channel, sentence: string): string =>
  name === '' ? sentence : `Channel ${name}: ${sentence}`

/** Judges one observation by what is expected of a role. Being late is no failure. */
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
  const problem = told(stopped)
  if (problem !== '') return { result: 'failed', reason: problem }
  return { result: 'passed', reason: told(waits) || null }
}
