import type { Clock } from './clock.ts'
import { relayHandshake } from './handshake.ts'
import { createReadBuffer, type Dial } from './readBuffer.ts'
import { hostBlocked } from './refusal.ts'
import type { Target, Targets } from './targets.ts'

/** Milliseconds from one look at a server that turns this host away to the next. */
const interval = 2000

/**
 * Notes servers that turn this host away, and looks now and again whether they still do: load balancers send no
 * client that would show it. What it opens it ends as no server counts it.
 */
export function watchBlocked(options: {
  readonly dial: Dial
  readonly clock: Clock
  readonly targets: Pick<Targets, 'setBlocked' | 'isUsable'>
}): (target: Target) => void {
  const { dial, clock, targets } = options
  const watched = new Set<Target>()

  function look(target: Target): void {
    if (!targets.isUsable(target)) {
      watched.delete(target)
      return
    }
    const readBuffer = createReadBuffer()
    const database = dial(target, readBuffer)
    const again = (): void => void clock.after(interval, () => look(target))
    const cancelLate = clock.after(interval, () => database.destroy())
    database.on('error', () => undefined)
    database.once('close', again)
    database.once('connect', () => {
      cancelLate()
      database.off('close', again)
      relayHandshake({
        client: undefined,
        database,
        readBuffer,
        clock,
        isCrowded: () => false,
        onHandedOver: () => database.destroy(),
        onOver: ({ noGreeting }) => {
          if (noGreeting?.number === hostBlocked) {
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
    targets.setBlocked(target, true)
    if (watched.has(target)) return
    watched.add(target)
    clock.after(interval, () => look(target))
  }
}
