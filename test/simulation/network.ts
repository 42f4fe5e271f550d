import type { Random } from './random.ts'
import type { VirtualTime } from './virtualTime.ts'

/** Links between hosts, each way of its own. */
export type Network = {
  /** Brings a message of a connection there; over a link that is cut it comes once that is whole again. */
  send(from: string, to: string, work: () => void): void
  /** Opens a connection: `work` once both ways bear it, `never` where one does not. */
  ask(from: string, to: string, work: () => void, never: () => void): void
  /** True where a message would come there. */
  isWhole(from: string, to: string): boolean
  delay(from: string, to: string): number
  cut(from: string, to: string): void
  repair(from: string, to: string): void
  slow(from: string, to: string, milliseconds: number): void
}

/** Milliseconds for the first packet of a connection before it is given up. */
const connectLimit = 2000

export function createNetwork({
  time,
  random,
}: {
  readonly time: VirtualTime
  readonly random: Random
}): Network {
  const cuts = new Set<string>()
  const delays = new Map<string, number>()
  /** Messages that were sent over links that are cut, in their order. */
  const kept = new Map<string, (() => void)[]>()
  /** When the last message of a link comes: one never overtakes another. */
  const last = new Map<string, number>()
  const key = (from: string, to: string): string => `${from}>${to}`
  const isWhole = (from: string, to: string): boolean => !cuts.has(key(from, to))
  const delay = (from: string, to: string): number =>
    from === to ? 0.1 : random.between(0.2, 2) + (delays.get(key(from, to)) ?? 0)

  function send(from: string, to: string, work: () => void): void {
    const link = key(from, to)
    const at = Math.max(last.get(link) ?? 0, time.now() + delay(from, to))
    last.set(link, at)
    time.after(
      at - time.now(),
      () => {
        if (isWhole(from, to)) work()
        else kept.set(link, [...(kept.get(link) ?? []), work])
      },
      null,
    )
  }

  return {
    isWhole,
    delay,
    send,
    ask: (from, to, work, never) => {
      time.after(
        delay(from, to) + delay(to, from),
        () => {
          if (isWhole(from, to) && isWhole(to, from)) work()
          else time.after(connectLimit, never, null)
        },
        null,
      )
    },
    cut: (from, to) => void cuts.add(key(from, to)),
    repair: (from, to) => {
      const link = key(from, to)
      cuts.delete(link)
      const works = kept.get(link) ?? []
      kept.delete(link)
      for (const work of works) send(from, to, work)
    },
    slow: (from, to, milliseconds) => void delays.set(key(from, to), milliseconds),
  }
}
