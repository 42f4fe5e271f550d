import type { Channel } from '../databases/channel.ts'
import type { Replication } from '../databases/replication.ts'
import type { Operation } from './oneAtATime.ts'
import { isStarted, isStopped, pendingErrorOf, stateOf } from './stateOf.ts'

/** What an operation wants of each channel. */
export type Aim = {
  /** Whether the server has anything to do for it. */
  readonly needs: (channel: Channel) => boolean
  readonly act: (replication: Replication, channel: string) => Promise<void>
  readonly isReached: (channel: Channel) => boolean
  /** Whether it will not be reached any more, however long one waits. */
  readonly isLost: (channel: Channel) => boolean
  /** Whether what is reached must hold for a moment: an error shows only when the thread comes to it. */
  readonly settles: boolean
}

const isForgotten = ({ received, receiverError, applierError }: Channel): boolean =>
  received === null && !receiverError && !applierError

const never = (): boolean => false

/** What each operation aims at. */
export const aims: Readonly<Record<Operation, Aim>> = {
  online: {
    needs: (channel) => !isStarted(channel),
    act: (replication, channel) => replication.start(channel),
    isReached: (channel) => stateOf(channel) === 'ONLINE',
    // One that only cannot connect tries again by itself.
    isLost: (channel) => pendingErrorOf(channel) !== null && !isStarted(channel),
    settles: true,
  },
  offline: {
    needs: (channel) => !isStopped(channel),
    act: (replication, channel) => replication.stop(channel),
    isReached: isStopped,
    isLost: never,
    settles: false,
  },
  reset: {
    needs: (channel) => !isForgotten(channel),
    act: (replication, channel) => replication.reset(channel),
    isReached: isForgotten,
    isLost: never,
    settles: false,
  },
}
