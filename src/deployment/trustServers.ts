import { mapLimit } from '../base/concurrency.ts'
import type { Destination, Route } from '../transport/destination.ts'
import type { KnownHost } from '../transport/hostKeys/knownHosts.ts'
import { type HostKeyState, hostKeyState } from '../transport/hostKeys/readHostKeys.ts'
import { handshakesAtOnce } from '../transport/ssh.ts'
import type { Failure } from './events.ts'
import { failureOf, isUnreachable } from './failure.ts'

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

/** What came of a server: its keys, or why they could not be read. */
export type Looked =
  | { readonly server: KeyServer; readonly found: HostKeyState }
  | { readonly server: KeyServer; readonly failure: Failure; readonly unreachable: boolean }

/** A server with keys that nobody knows. */
export type NewServer = Extract<Looked, { found: HostKeyState }>

/** How it ended. `trusted`: the keys were new and are written down now. `untrusted`: they are still new. */
export type TrustOutcome =
  | {
      readonly server: KeyServer
      readonly result: 'known' | 'trusted' | 'untrusted'
      readonly found: HostKeyState
    }
  | {
      readonly server: KeyServer
      readonly result: 'changed' | 'revoked' | 'failed' | 'unreachable' | 'behind'
      readonly found?: HostKeyState
      readonly failure: Failure
    }

type TrustWorld = {
  /** The keys that it shows, without a login there. Rejects with `TransportError`. */
  readonly readKeys: (server: KeyServer) => Promise<readonly Buffer[]>
  /** What its known_hosts files hold now. */
  readonly readEntries: (server: KeyServer) => Promise<readonly KnownHost[]>
  /** Which of the new servers are to be trusted; called once for the servers that are reached without others. */
  readonly decide: (looked: readonly Looked[]) => Promise<readonly NewServer[]>
  /** Writes the keys of these servers down. */
  readonly add: (servers: readonly NewServer[]) => Promise<void>
}

/**
 * Reads the keys of all servers and lets new ones be trusted; nobody logs in to a jump host before its key is
 * known. At most ten handshakes at once. One server's failure is its own outcome.
 */
export async function trustServers(
  servers: readonly KeyServer[],
  world: TrustWorld,
): Promise<readonly TrustOutcome[]> {
  const outcomes = new Map<string, TrustOutcome>()
  const passable = (id: string): boolean => ['known', 'trusted'].includes(outcomes.get(id)?.result ?? '')
  for (const depth of new Set(servers.map(({ way }) => way.length))) {
    const round = servers.filter(({ way }) => way.length === depth)
    const [open, closed] = [true, false].map((wanted) =>
      round.filter(({ wayIds }) => wayIds.every(passable) === wanted),
    )
    for (const server of closed ?? []) outcomes.set(server.id, behind(server, outcomes))
    for (const outcome of await trustRound(open ?? [], world)) outcomes.set(outcome.server.id, outcome)
  }
  return servers.flatMap(({ id }) => outcomes.get(id) ?? [])
}

async function trustRound(
  servers: readonly KeyServer[],
  world: TrustWorld,
): Promise<readonly TrustOutcome[]> {
  const map = (server: KeyServer): Promise<Looked> => look(server, world)
  const looked = await mapLimit({ items: servers, limit: handshakesAtOnce, map })
  const chosen = await world.decide(looked)
  if (chosen.length > 0) await world.add(chosen)
  return Promise.all(looked.map((one) => outcomeOf(one, chosen, world)))
}

async function look(server: KeyServer, world: TrustWorld): Promise<Looked> {
  try {
    const keys = await world.readKeys(server)
    return { server, found: hostKeyState(server.to, await world.readEntries(server), keys) }
  } catch (error) {
    return { server, failure: failureOf(error), unreachable: isUnreachable(error) }
  }
}

async function outcomeOf(
  looked: Looked,
  chosen: readonly NewServer[],
  world: TrustWorld,
): Promise<TrustOutcome> {
  const { server } = looked
  if (!('found' in looked)) {
    return { server, result: looked.unreachable ? 'unreachable' : 'failed', failure: looked.failure }
  }
  const { found } = looked
  if ('problem' in found) return { server, result: found.state, found, failure: failureOf(found.problem) }
  if (found.state === 'known') return { server, result: 'known', found }
  if (!chosen.includes(looked)) return { server, result: 'untrusted', found }
  // What connections will say counts, not what was written: the file may be one that keeps nothing.
  const keys = found.keys.map(({ key }) => key)
  const after = hostKeyState(server.to, await world.readEntries(server), keys)
  if (after.state === 'known') return { server, result: 'trusted', found: after }
  return { server, result: 'failed', found, failure: notKept(server) }
}

const notKept = ({ label, to }: KeyServer): Failure => ({
  code: 'not-kept',
  message: `the key of ${label} was written to ${to.check.files[0]} and is not found there`,
  fix: 'ssh_config names a file that keeps nothing: correct UserKnownHostsFile, or give known-hosts under ssh.',
})

/** A server that lies behind others, the first of which is not known. */
function behind(server: KeyServer, outcomes: ReadonlyMap<string, TrustOutcome>): TrustOutcome {
  const wall = server.wayIds
    .flatMap((id) => outcomes.get(id) ?? [])
    .find(({ result }) => result !== 'known' && result !== 'trusted')
  const name = wall?.server.label ?? 'a jump host'
  const failure = {
    code: 'behind-jump-host',
    message: `${server.label} is behind ${name}, and the key of ${name} is not trusted`,
    fix: `Trust the key of ${name} first, then run "muster trust" again.`,
  }
  return { server, result: 'behind', failure }
}
