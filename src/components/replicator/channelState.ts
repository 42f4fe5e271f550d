import type { ReplicatorState } from '../../contracts/replicatorPayloads.ts'
import type { Channel, ThreadError } from '../databases/dialect.ts'

/** What goes wrong with a channel now: an error that a thread stopped with, or cannot connect for. */
export type PendingError = ThreadError & { readonly sentence: string }

/** The error that keeps a channel from replicating; null when nothing does. */
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

/** Whether neither thread of a channel runs. */
export const isStopped = ({ receiver, applier }: Channel): boolean =>
  receiver === 'stopped' && applier === 'stopped'

/** Whether nobody needs to start anything: both threads run, or try to. */
export const isStarted = ({ receiver, applier }: Channel): boolean =>
  receiver !== 'stopped' && applier === 'running'

/** The state of a channel (contract.md, "Replicator"), and what an operation that is under way makes of it. */
export function stateOf(channel: Channel, underWay?: 'online' | 'offline' | 'reset'): ReplicatorState {
  if (underWay === 'offline' && !isStopped(channel)) return 'GOING-OFFLINE'
  if (pendingErrorOf(channel)) return 'OFFLINE:ERROR'
  if (isStopped(channel)) return underWay === 'online' ? 'GOING-ONLINE:SYNCHRONIZING' : 'OFFLINE:NORMAL'
  if (!isStarted(channel)) return 'GOING-OFFLINE'
  return channel.receiver === 'running' ? 'ONLINE' : 'GOING-ONLINE:SYNCHRONIZING'
}
