import type { Destination, Route } from '../../transport/destination.ts'

/** An SSH server whose key must be known: a host, or a jump host that several hosts may lie behind. */
export type KeyServer = {
  /** The same for the same server, looked up in the same place, on the same way. */
  readonly id: string
  /** As messages call it. */
  readonly label: string
  readonly to: Destination
  /** The jump hosts before it, and their ids. */
  readonly way: readonly Destination[]
  readonly wayIds: readonly string[]
}

/**
 * The servers on the ways to hosts, each once, in the order in which they can be reached: none before the jump
 * hosts that it lies behind. With which user and key one logs in does not matter.
 */
export function serversOf(routes: readonly Route[]): readonly KeyServer[] {
  const servers = new Map<string, KeyServer>()
  for (const { jumps, target } of routes) {
    const wayIds: string[] = []
    for (const [index, to] of [...jumps, target].entries()) {
      const id = idOf(to, wayIds)
      const known = { id, label: to.label, to, way: jumps.slice(0, index), wayIds: [...wayIds] }
      if (!servers.has(id)) servers.set(id, known)
      wayIds.push(id)
    }
  }
  return [...servers.values()].sort((one, other) => one.way.length - other.way.length)
}

function idOf({ label, jump, address, port, check, proxyCommand }: Destination, way: readonly string[]) {
  return JSON.stringify([jump ? 'jump' : label, address, port, check, proxyCommand ?? '', way.at(-1) ?? ''])
}
