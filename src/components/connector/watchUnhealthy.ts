import type { Clock } from '../clock.ts'
import { relayHandshake } from './handshake.ts'
import { createReadBuffer, type Dial } from './readBuffer.ts'
import { hostBlocked } from './refusal.ts'
import type { Target, Targets } from './targets.ts'

/** Milliseconds from one look at a server that takes no clients to the next. */
const interval = 2000

/**
 * Looks now and again at a server that turns this host away, or accepts connections without greeting, until it takes
 * clients again: none is sent there that would show it. What it opens it ends as no server counts it, so one that
 * hangs is given all the time it needs.
 */
export function watchUnhealthy(options: {
  readonly dial: Dial
  readonly clock: Clock
  readonly targets: Pick<Targets, 'setBlocked' | 'setUnresponsive' | 'isUsable'>
  readonly isStopping: () => boolean
}): (target: Target) => void {
  const { dial, clock, targets, isStopping } = options
  const watched = new Set<Target>()

  function look(target: Target): void {
    if (isStopping() || !targets.isUsable(target)) {
      watched.delete(target)
      return
    }
    const readBuffer = createReadBuffer()
    const database = dial(target, readBuffer)
    let hasGreeted = false
    const again = (): void => void clock.after(interval, () => look(target))
    const cancelLate = clock.after(interval, () => database.destroy())
    database.on('error', () => undefined)
    database.once('close', again)
    database.once('connect', () => {
      cancelLate()
      database.off('close', again)
      // It may never greet, and must not keep a process that ends.
      database.unref()
      relayHandshake({
        client: undefined,
        database,
        readBuffer,
        clock,
        onGreeted: () => {
          hasGreeted = true
          targets.setUnresponsive(target, false)
        },
        onHandedOver: () => database.destroy(),
        onOver: ({ noGreeting }) => {
          if (!hasGreeted || noGreeting?.number === hostBlocked) {
            again()
            return
          }
          watched.delete(target)
          targets.setBlocked(target, false)
        },
      })
    })
  }

  return (target) => {
    if (watched.has(target)) return
    watched.add(target)
    clock.after(interval, () => look(target))
  }
}
