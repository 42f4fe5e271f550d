import type { ReplicatorState } from '../../contracts/replicatorPayloads.ts'
import type { Channel, ThreadError } from '../databases/dialect.ts'

/** Present error of a channel: one that a thread stopped with, or why it cannot connect. */
type PendingError = ThreadError & { readonly sentence: string }

/** Returns the error that keeps a channel from replicating; null if there is none. */
export function pendingErrorOf({
  receiver,
  receiverError,
  applier,
  applierError,
}: Channel): PendingError | null {
  if (applier === 'stopped' && applierError) {
    return { ...applierError, sentence: 'The applier stopped with an error.' }
  }
  if (receiver === 'running' || !receiverError) return null
  const sentence =
    receiver === 'stopped'
      ? 'The receiver stopped with an error.'
      : 'The receiver cannot connect to the primary, and tries again.'
  return { ...receiverError, sentence }
}

/** Returns true if neither thread of a channel runs. */
export const isStopped = ({ receiver, applier }: Channel): boolean =>
  receiver === 'stopped' && applier === 'stopped'

/** Returns true if both threads run or try to. */
export const isStarted = ({ receiver, applier }: Channel): boolean =>
  receiver !== 'stopped' && applier === 'running'

/** Derives the state of a channel (contract.md, "Replicator"), also during an operation. */
export function stateOf(channel: Channel, underWay?: 'online' | 'offline' | 'reset'): ReplicatorState {
  if (underWay === 'offline' && !isStopped(channel)) return 'GOING-OFFLINE'
  if (pendingErrorOf(channel)) return 'OFFLINE:ERROR'
  if (isStopped(channel)) return underWay === 'online' ? 'GOING-ONLINE:SYNCHRONIZING' : 'OFFLINE:NORMAL'
  if (!isStarted(channel)) return 'GOING-OFFLINE'
  return channel.receiver === 'running' ? 'ONLINE' : 'GOING-ONLINE:SYNCHRONIZING'
}
