import { shortListOf } from '../../base/words.ts'
import type { Routing } from '../../contracts/routing.ts'
import type { Clock } from '../clock.ts'
import { combineRoutings } from './combineRoutings.ts'
import { followManager, type LinkProblem, type ManagerLink, type OpenStream } from './followManager.ts'

/** Since when no manager answers, and why. */
export type ManagerOutage = {
  readonly since: Date
  readonly reason: string
  /** True once it is too long for the managers' last word to count. */
  readonly isLong: boolean
}

/** The managers that a connector follows. */
export type FollowedManagers = {
  /** Returns the name of the manager whose word is in effect; undefined while none is connected. */
  base(): string | undefined
  /** Returns undefined while at least one manager is connected. */
  outage(): ManagerOutage | undefined
  /** Settles once each manager has answered or failed. */
  readonly asked: Promise<void>
  /** Settles once the word of a manager as it is from now on is in effect; resolves to why not, if that manager failed. */
  askNow(name: string | undefined): Promise<LinkProblem | undefined>
  stop(): void
}

/** Reasons that one sentence lists. */
const mostReasons = 4

/**
 * Follows managers at once. The word of one of them is in effect: of the first in their order that is connected, for as
 * long as it stays connected. The others can only take the writer away.
 */
export function followManagers(options: {
  /** In the order of the file; at least one. */
  readonly managers: readonly { readonly name: string; readonly open: OpenStream }[]
  readonly clock: Clock
  /** Milliseconds that the last word counts while none answers. */
  readonly timeout: number
  /** Called with each routing that differs from the one before. */
  readonly onRouting: (routing: Routing) => void
  /** Called when a manager is lost, or is back. */
  readonly onLink: (name: string, problem: LinkProblem | undefined) => void
  /** Called when the last manager is lost, when that is too long, and when the first is back. */
  readonly onOutage: (outage: ManagerOutage | undefined) => void
}): FollowedManagers {
  const { managers, clock, timeout, onRouting, onLink, onOutage } = options
  const links = new Map<string, ManagerLink>()
  const lost = new Set<string>()
  let base: string | undefined
  let lostSince: Date | undefined
  let isLong = false
  let cancelLong: (() => void) | undefined
  let known = ''

  function noteLink(name: string): void {
    const problem = links.get(name)?.problem()
    if (lost.has(name) === (problem !== undefined)) return
    if (problem) lost.add(name)
    else lost.delete(name)
    onLink(name, problem)
  }

  function outage(): ManagerOutage | undefined {
    if (lostSince === undefined) return undefined
    const reasons = [...links].map(([name, link]) => {
      const { reason = '' } = link.problem() ?? {}
      return links.size === 1 ? reason : `${name}: ${reason}`
    })
    return { since: lostSince, reason: shortListOf(reasons, mostReasons), isLong }
  }

  function update(): void {
    const heard = managers.flatMap(({ name }) => {
      const routing = links.get(name)?.routing()
      return routing ? [{ name, routing }] : []
    })
    const chosen = heard.find(({ name }) => name === base) ?? heard[0]
    base = chosen?.name
    if (!chosen) {
      if (lostSince !== undefined || lost.size < managers.length) return
      lostSince = clock.now()
      cancelLong = clock.after(timeout, () => {
        isLong = true
        onOutage(outage())
      })
      onOutage(outage())
      return
    }
    const routing = combineRoutings(chosen, heard)
    const text = JSON.stringify(routing)
    if (text !== known) onRouting(routing)
    known = text
    if (lostSince === undefined) return
    lostSince = undefined
    isLong = false
    cancelLong?.()
    onOutage(undefined)
  }

  for (const { name, open } of managers) {
    const onChange = (): void => {
      noteLink(name)
      update()
    }
    links.set(name, followManager({ open, clock, onChange }))
  }
  return {
    base: () => base,
    outage,
    asked: Promise.all([...links.values()].map(({ asked }) => asked)).then(() => undefined),
    askNow: async (name) => {
      const link = links.get(name ?? '')
      await link?.askNow()
      return link?.problem()
    },
    stop: () => {
      cancelLong?.()
      for (const link of links.values()) link.stop()
    },
  }
}
