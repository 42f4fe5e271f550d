import { mapLimit } from '../base/concurrency.ts'
import type { Destination, Route } from '../transport/destination.ts'
import type { KnownHost } from '../transport/hostKeys/knownHosts.ts'
import { compareHostKeys, type HostKeyComparison } from '../transport/hostKeys/readHostKeys.ts'
import { concurrentHandshakes } from '../transport/ssh.ts'
import type { Failure } from './events.ts'
import { failureOf, isUnreachable } from './hostFailure.ts'

/** SSH server whose key must be known: a host, or a jump host for several hosts. */
export type KeyServer = {
  /** Equal for the same server, known_hosts files and route. */
  readonly id: string
  /** Name in messages. */
  readonly label: string
  readonly to: Destination
  /** Jump hosts before it, and their ids. */
  readonly jumpHosts: readonly Destination[]
  readonly jumpHostIds: readonly string[]
}

/**
 * Returns the servers on the routes to hosts, each once, jump hosts before the servers behind them. The user and the
 * key of the login do not matter.
 */
export function serversOf(routes: readonly Route[]): readonly KeyServer[] {
  const servers = new Map<string, KeyServer>()
  for (const { jumps, target } of routes) {
    const jumpHostIds: string[] = []
    for (const [index, to] of [...jumps, target].entries()) {
      const id = idOf(to, jumpHostIds)
      const known = {
        id,
        label: to.label,
        to,
        jumpHosts: jumps.slice(0, index),
        jumpHostIds: [...jumpHostIds],
      }
      if (!servers.has(id)) servers.set(id, known)
      jumpHostIds.push(id)
    }
  }
  return [...servers.values()].sort((one, other) => one.jumpHosts.length - other.jumpHosts.length)
}

function idOf(
  { label, jump, address, port, check, proxyCommand }: Destination,
  jumpHostIds: readonly string[],
) {
  return JSON.stringify([
    jump ? 'jump' : label,
    address,
    port,
    check,
    proxyCommand ?? '',
    jumpHostIds.at(-1) ?? '',
  ])
}

/** Keys of a server, or why they could not be read. */
export type ScannedServer =
  | { readonly server: KeyServer; readonly found: HostKeyComparison }
  | { readonly server: KeyServer; readonly failure: Failure; readonly unreachable: boolean }

/** Server with unknown keys. */
export type NewServer = Extract<ScannedServer, { found: HostKeyComparison }>

/** Result for one server. `trusted`: the keys were new and are now recorded. `untrusted`: they are still new. */
export type TrustOutcome =
  | {
      readonly server: KeyServer
      readonly result: 'known' | 'trusted' | 'untrusted'
      readonly found: HostKeyComparison
    }
  | {
      readonly server: KeyServer
      readonly result: 'changed' | 'revoked' | 'failed' | 'unreachable' | 'behind'
      readonly found?: HostKeyComparison
      readonly failure: Failure
    }

type TrustActions = {
  /** Reads the keys that it presents, without a login. Rejects with `TransportError`. */
  readonly readKeys: (server: KeyServer) => Promise<readonly Buffer[]>
  /** Reads the present content of its known_hosts files. */
  readonly readEntries: (server: KeyServer) => Promise<readonly KnownHost[]>
  /** Selects the new servers to trust; called once for the servers that are reached without jump hosts. */
  readonly decide: (scanned: readonly ScannedServer[]) => Promise<readonly NewServer[]>
  /** Records the keys of these servers. */
  readonly add: (servers: readonly NewServer[]) => Promise<void>
}

/**
 * Reads the keys of all servers and lets the caller trust new ones; never logs in to a jump host before its key is
 * known. Runs at most ten handshakes in parallel. A failure belongs to its server.
 */
export async function trustServers(
  servers: readonly KeyServer[],
  actions: TrustActions,
): Promise<readonly TrustOutcome[]> {
  const outcomes = new Map<string, TrustOutcome>()
  const isTrusted = (id: string): boolean => ['known', 'trusted'].includes(outcomes.get(id)?.result ?? '')
  for (const depth of new Set(servers.map(({ jumpHosts }) => jumpHosts.length))) {
    const round = servers.filter(({ jumpHosts }) => jumpHosts.length === depth)
    const [open, closed] = [true, false].map((wanted) =>
      round.filter(({ jumpHostIds }) => jumpHostIds.every(isTrusted) === wanted),
    )
    for (const server of closed ?? []) outcomes.set(server.id, blockedByJumpHost(server, outcomes))
    for (const outcome of await trustRound(open ?? [], actions)) outcomes.set(outcome.server.id, outcome)
  }
  return servers.flatMap(({ id }) => outcomes.get(id) ?? [])
}

async function trustRound(
  servers: readonly KeyServer[],
  actions: TrustActions,
): Promise<readonly TrustOutcome[]> {
  const map = (server: KeyServer): Promise<ScannedServer> => scanServer(server, actions)
  const scanned = await mapLimit({ items: servers, limit: concurrentHandshakes, map })
  const chosen = await actions.decide(scanned)
  if (chosen.length > 0) await actions.add(chosen)
  return Promise.all(scanned.map((one) => outcomeOf(one, chosen, actions)))
}

async function scanServer(server: KeyServer, actions: TrustActions): Promise<ScannedServer> {
  try {
    const keys = await actions.readKeys(server)
    return { server, found: compareHostKeys(server.to, await actions.readEntries(server), keys) }
  } catch (error) {
    return { server, failure: failureOf(error), unreachable: isUnreachable(error) }
  }
}

async function outcomeOf(
  scanned: ScannedServer,
  chosen: readonly NewServer[],
  actions: TrustActions,
): Promise<TrustOutcome> {
  const { server } = scanned
  if (!('found' in scanned)) {
    return { server, result: scanned.unreachable ? 'unreachable' : 'failed', failure: scanned.failure }
  }
  const { found } = scanned
  if ('problem' in found) return { server, result: found.state, found, failure: failureOf(found.problem) }
  if (found.state === 'known') return { server, result: 'known', found }
  if (!chosen.includes(scanned)) return { server, result: 'untrusted', found }
  // Checks what later connections will read: the file may be one that stores nothing.
  const keys = found.keys.map(({ key }) => key)
  const after = compareHostKeys(server.to, await actions.readEntries(server), keys)
  if (after.state === 'known') return { server, result: 'trusted', found: after }
  return { server, result: 'failed', found, failure: notKept(server) }
}

const notKept = ({ label, to }: KeyServer): Failure => ({
  code: 'not-kept',
  message: `the key of ${label} was written to ${to.check.files[0]} but is not found there`,
  fix: 'Correct UserKnownHostsFile in ssh_config, which names a file that stores nothing, or set known-hosts under ssh.',
})

/** Reports a server behind a jump host that is not known. */
function blockedByJumpHost(server: KeyServer, outcomes: ReadonlyMap<string, TrustOutcome>): TrustOutcome {
  const blocking = server.jumpHostIds
    .flatMap((id) => outcomes.get(id) ?? [])
    .find(({ result }) => result !== 'known' && result !== 'trusted')
  const name = blocking?.server.label ?? 'a jump host'
  const failure: Failure = {
    code: 'behind-jump-host',
    message: `${server.label} is behind ${name}, and the key of ${name} is not trusted`,
    fix: `Trust the key of ${name} first, then run "muster trust" again.`,
  }
  return { server, result: 'behind', failure }
}
