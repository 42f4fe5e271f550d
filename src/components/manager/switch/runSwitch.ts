import { printableLine } from '../../../base/printable.ts'
import type { SwitchOperation, SwitchStep } from '../../../contracts/managerPayloads.ts'
import type { Secret } from '../../../secrets/secret.ts'
import { DatabaseError } from '../../databases/databaseError.ts'
import {
  containsGtids,
  countText,
  type GtidSet,
  gtidText,
  missingGtids,
  noGtids,
} from '../../databases/gtidSet.ts'
import { receivedGtids, type ServerReading } from '../../databases/probe.ts'
import type { ReplicationTls, SwitchReading, SwitchServer } from '../../databases/switchServer.ts'
import { withTimeout } from '../../databases/withTimeout.ts'
import { acknowledgesNothing, lacksRoleAlone } from '../replicationGraph.ts'
import { drain } from './drain.ts'

/** A data source with the connection that a switch has to it. */
export type SwitchNode = {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly server: SwitchServer
}

/** Account by which a server follows another one that has none for it yet. */
export type SourceAccount = { readonly user: string; readonly password: Secret }

export type Timing = {
  /** Milliseconds that never go back. */
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

/** A switch that failed before the new primary could be written, and that must be taken back. */
export class SwitchError extends Error {
  constructor(message: string, more: { readonly cause?: unknown } = {}) {
    super(message, more)
    this.name = 'SwitchError'
  }
}

export const words = (error: unknown): string => {
  if (error instanceof DatabaseError || error instanceof SwitchError) return error.message
  throw error
}

/**
 * Makes `to` the primary in place of `from`. Clients wait already. `begin` records a step everywhere before it is done,
 * and rejects where it cannot. Resolves to remarks about servers whose transactions nobody could compare. Rejects with a
 * `SwitchError`, and then `from` still has to be made writable again.
 */
export async function moveWriter(options: {
  readonly from: SwitchNode
  readonly to: SwitchNode
  /** The other servers that were reached and that nobody took out. */
  readonly others: readonly SwitchNode[]
  /** Sessions of `from` that have been there for long. */
  readonly known: ReadonlySet<number>
  readonly semiSync: ServerReading['semiSync']
  readonly begin: (step: SwitchStep) => Promise<void>
  readonly drainTimeout: number
  /** Time of `timing.now` at which the switch must be over or taken back. */
  readonly deadline: number
  readonly timing: Timing
}): Promise<readonly string[]> {
  const { from, to, others, begin, deadline, timing } = options
  const left = (): number => {
    const milliseconds = deadline - timing.now()
    if (milliseconds > 0) return milliseconds
    throw new SwitchError('it took longer than clients may wait (connector-max-hold)')
  }
  const next = async (it: SwitchStep): Promise<void> => {
    left()
    await begin(it)
  }
  try {
    await next('drain')
    await drain({
      server: from.server,
      known: options.known,
      limit: Math.min(options.drainTimeout, left()),
      ...timing,
    })
    await next('freeze')
    await from.server.setReadOnly(true)
    await from.server.kill((await from.server.sessions()).map(({ id }) => id))
    // read_only does not bind every account of MariaDB.
    await from.server.lockCommits()
    await refuseMissing(from, others)
    await next('catch-up')
    await catchUp(from, to, left)
    await next('promote')
    left()
    // An answer of the old primary shows that its connection, and so its lock, is still there.
    const unknown = await refuseMissing(to, [from, ...others], from)
    await becomePrimary(to, options.semiSync)
    return unknown
  } catch (error) {
    throw new SwitchError(words(error), { cause: error })
  }
}

/** Makes a server follow nobody, and writable; a source of semi-synchronous replication where the old primary was one. */
export async function becomePrimary(
  { server }: SwitchNode,
  semiSync: ServerReading['semiSync'],
): Promise<void> {
  await server.stopReplication()
  await server.setReadOnly(false)
  await server.forgetSources()
  if (semiSync.source) await server.setSemiSync({ source: true, replica: false })
}

/**
 * Rejects with a `SwitchError` that names who has transactions that a server lacks. Nobody can write meanwhile, so that
 * none is under way. Resolves to remarks about others that could not be read; the server itself and `needed` must be.
 */
async function refuseMissing(
  { name, server }: SwitchNode,
  others: readonly SwitchNode[],
  needed?: SwitchNode,
): Promise<readonly string[]> {
  const read = (other: SwitchNode): Promise<GtidSet | Error | null> =>
    withTimeout({
      milliseconds: compareTimeout,
      work: other.server.gtids(),
      late: () => new SwitchError(`${other.name} did not answer in time`),
    }).catch((error: unknown) => {
      if (other === needed || !(error instanceof DatabaseError || error instanceof SwitchError)) throw error
      return error
    })
  const [has, ...theirs] = await Promise.all([server.gtids(), ...others.map(read)])
  return others.flatMap(({ name: other }, index) => {
    const its = theirs[index]
    if (its instanceof Error) {
      return [`The transactions of ${other} are unknown: ${its.message.replace(/\.$/, '')}.`]
    }
    if (!has || !its) return [`The transactions of ${other} are unknown: it has no GTIDs.`]
    const missing = missingGtids(its, has)
    if (missing.ranges.size === 0) return []
    throw new SwitchError(
      `${other} has ${countText(missing)} that ${name} does not have: ${gtidText(missing)}.`,
    )
  })
}

/** Milliseconds that clients wait for the transactions of a server that does not answer. */
const compareTimeout = 500

/** Waits until `to` has all of `from`, and nothing was written there meanwhile by those who may always write. */
async function catchUp(from: SwitchNode, to: SwitchNode, left: () => number): Promise<void> {
  let written = await from.server.written()
  for (;;) {
    if (!(await hasApplied(to, written, left()))) {
      throw new SwitchError(`${to.name} did not apply the last changes of ${from.name} in time`)
    }
    const after = await from.server.written()
    if (after === written) return
    written = after
  }
}

/** Milliseconds of one statement that waits: one to a server that is cut off is given up some seconds after its own end. */
const longestWait = 500

async function hasApplied({ server }: SwitchNode, gtids: string, milliseconds: number): Promise<boolean> {
  for (let remaining = milliseconds; remaining > 0; remaining -= longestWait) {
    if (await server.waitFor(gtids, Math.min(remaining, longestWait))) return true
  }
  return false
}

/** Milliseconds that clients wait for a server to follow the new primary. */
const patience = 1000

/** A server that does not follow the new primary yet, and what is left to do about it. */
export type Left = { readonly name: string; readonly remark: string }

/** Lets servers follow the new primary; returns those where that fails. */
export async function repoint(options: {
  readonly followers: readonly SwitchNode[]
  readonly to: SwitchNode
  /** The old primary, if it is one of them: it has no account for the new one yet. */
  readonly former?: {
    readonly name: string
    readonly account: SourceAccount
    /** TLS of the others' replication; null for none. */
    readonly tls: ReplicationTls | null
    readonly semiSync: ServerReading['semiSync']
  }
}): Promise<readonly Left[]> {
  const { followers, to, former } = options
  const place = { host: to.host, port: to.port }
  const left = await Promise.all(
    followers.map(async ({ name, server }) => {
      const its = name === former?.name ? former : undefined
      try {
        if (its?.semiSync.source) await server.setSemiSync({ source: false, replica: true })
        await withTimeout({
          milliseconds: patience,
          work: server.follow(
            its ? { ...place, account: its.account, ...(its.tls && { tls: its.tls }) } : place,
          ),
          late: () => new SwitchError('it does not answer in time.'),
        })
        return []
      } catch (error) {
        return [{ name, remark: notYet(name, to.name, words(error)) }]
      }
    }),
  )
  return left.flat()
}

/** Starts receivers that a failover stopped, and that keep their source; returns the servers where that fails. */
export async function receiveAgain(nodes: readonly SwitchNode[]): Promise<readonly Left[]> {
  const left = await Promise.all(
    nodes.map(async ({ name, server }) => {
      try {
        await withTimeout({
          milliseconds: patience,
          work: server.startReplication(),
          late: () => new SwitchError('It does not answer in time.'),
        })
        return []
      } catch (error) {
        const why = words(error)
        return [
          { name, remark: `${name} receives nothing: ${why} Run tapi --component replicator online there.` },
        ]
      }
    }),
  )
  return left.flat()
}

/**
 * Begins the event scheduler of the new primary; returns a remark where that fails. Before the old primary follows, which
 * ends the scheduler there: whoever settles a switch that was left in between still sees that it ran.
 */
export async function startEvents({ name, server }: SwitchNode): Promise<readonly string[]> {
  try {
    await server.startEvents()
    return []
  } catch (error) {
    const why = words(error).replace(/\.$/, '')
    return [
      `The event scheduler of ${name} was not started: ${why}. Run SET GLOBAL event_scheduler = ON there.`,
    ]
  }
}

/** Events that a remark names. */
const mostEvents = 10

/** Returns the remark about events that do not run since replication brought them; none where nobody can tell. */
export async function eventRemarks({ name, server }: SwitchNode): Promise<readonly string[]> {
  try {
    const events = (await server.disabledEvents()).map(printableLine)
    if (events.length === 0) return []
    const enable = events.slice(0, mostEvents).map((it) => `ALTER EVENT ${it} ENABLE;`)
    const more = events.length > mostEvents ? ` (and ${events.length - mostEvents} more)` : ''
    return [
      `Events that replication brought to ${name} do not run there until they are enabled: ${enable.join(' ')}${more}`,
    ]
  } catch (error) {
    if (error instanceof DatabaseError) return []
    throw error
  }
}

/** Returns the remark about a server that does not follow the new primary. */
export const notYet = (name: string, to: string, why: string): string =>
  `${name} does not follow ${to} yet: ${why} The manager tries again for ten minutes; then use tapi datasource recover.`

/** Returns why a former primary that lost its own last transactions must not follow, and what to do, after its name. */
export const ownLostWords = (to: string, lost: GtidSet): string =>
  `lacks transactions that it wrote itself and ${to} has (${gtidText(lost)}); it would leave them out, as servers do ` +
  `with what has their own number. On MariaDB set gtid_strict_mode=1 and rpl_semi_sync_slave_enabled=1 on it, or make ` +
  `it anew from a backup of ${to} (muster provision).`

/** Result of settling a switch that somebody left unfinished. */
export type Settlement =
  | { readonly kind: 'forward' }
  | { readonly kind: 'back' }
  /** Nobody may be written until a server can be reached again. */
  | { readonly kind: 'open'; readonly reason: string }

/** Reading of a server, or why there is none. */
export type Look = SwitchReading | DatabaseError

/** The two servers of a switch or a failover that somebody left unfinished, and what the records say of it. */
type Unfinished = {
  readonly operation: SwitchOperation
  readonly from: SwitchNode
  readonly to: SwitchNode
  /** True if `to` has all of `from`, and may become the primary without it. */
  readonly isCaughtUp: boolean
  /** True if `to` may have become writable, as far as the records tell. */
  readonly mayBePromoted: boolean
  /** All other servers of the service. */
  readonly others: readonly SwitchNode[]
}

/** Returns to which of its ends an unfinished switch can be brought, by what the servers are. Changes nothing. */
export async function findEnd(unfinished: Unfinished): Promise<Settlement> {
  return endOf(unfinished, await looksAt(unfinished))
}

/**
 * Brings an unfinished switch to one of its ends, by what the servers are: forward once the new primary may be written,
 * else back. Connections of whoever left it must have ended before.
 */
export async function settle(unfinished: Unfinished): Promise<Settlement> {
  const { from, to } = unfinished
  const looks = await looksAt(unfinished)
  const end = endOf(unfinished, looks)
  if (end.kind === 'back') await goBack(unfinished, looks)
  if (end.kind === 'forward') await goForward(from, to, looks)
  return end
}

type Seen = readonly [SwitchNode, Look]

/** `others` are read only where one of both may have lost what one of them has. */
type Looks = { readonly old: Look; readonly target: Look; readonly others: readonly Seen[] }

async function looksAt({ operation, from, to, others }: Unfinished): Promise<Looks> {
  const [old, target] = await Promise.all([look(from), look(to)])
  const isAsked = (operation === 'switch' && mayHaveLost(old)) || mayHaveLost(target)
  const lookAt = async (it: SwitchNode): Promise<Seen> => [it, await look(it)]
  return { old, target, others: isAsked ? await Promise.all(others.map(lookAt)) : [] }
}

/** Returns true for a primary that was started meanwhile, which may have cost it a commit that a replica acknowledged. */
const mayHaveLost = (its: Look): its is SwitchReading =>
  !(its instanceof DatabaseError) && !its.isWritable && its.channels.length === 0 && lacksRoleAlone(its)

/** Returns true where another server has what such a primary lost. */
function hasLost(its: Look, others: readonly Look[]): boolean {
  if (!mayHaveLost(its)) return false
  const own = its.gtids ?? noGtids
  return others.some((other) => {
    const has = other instanceof DatabaseError ? null : receivedGtids(other)
    return has !== null && !containsGtids(own, has)
  })
}

const looksOf = (seen: readonly Seen[]): readonly Look[] => seen.map(([, it]) => it)

export const look = (node: SwitchNode): Promise<Look> =>
  node.server.read().catch((error: unknown) => {
    if (error instanceof DatabaseError) return error
    throw error
  })

function endOf(
  { operation, from, to, isCaughtUp, mayBePromoted }: Unfinished,
  { old, target, others }: Looks,
): Settlement {
  const open = (reason: string): Settlement => ({ kind: 'open', reason })
  /** Names the first one that cannot be read and may have what a primary lost. */
  const blindFor = ({ name }: SwitchNode, its: Look, all: readonly Seen[]) => {
    const blind = mayHaveLost(its) ? all.find(([, it]) => it instanceof DatabaseError) : undefined
    return blind && open(`${blind[0].name} cannot be read, and may have what ${name} lost when it ended.`)
  }
  if (target instanceof DatabaseError) {
    if (mayBePromoted) return open(`${to.name} may be the primary, and ${target.message}`)
  } else {
    // It was promoted, and perhaps restarted since.
    const isPromoted = target.isWritable || target.channels.length === 0
    const isOnly = operation === 'switch' && isCaughtUp && old instanceof DatabaseError
    if ((mayBePromoted && isPromoted) || isOnly) {
      const known: readonly Seen[] = operation === 'switch' ? [[from, old]] : []
      return blindFor(to, target, [...known, ...others]) ?? { kind: 'forward' }
    }
    if (isPromoted) return open(`${to.name} does not follow ${from.name} any more.`)
  }
  // The lost primary has no part in it.
  if (operation === 'failover') return { kind: 'back' }
  if (old instanceof DatabaseError) return open(old.message)
  if (old.channels.length > 0) return open(`${from.name} follows another server.`)
  return blindFor(from, old, [[to, target], ...others]) ?? { kind: 'back' }
}

async function goBack({ operation, from, to }: Unfinished, { old, target, others }: Looks): Promise<void> {
  if (!(target instanceof DatabaseError)) await to.server.startReplication()
  if (operation === 'failover') return
  // Where it has lost something, the managers decide who takes its place.
  if (!(old instanceof DatabaseError) && !old.isWritable && !hasLost(old, [target, ...looksOf(others)])) {
    await from.server.setReadOnly(false)
  }
}

async function goForward(from: SwitchNode, to: SwitchNode, { old, target, others }: Looks): Promise<void> {
  // One that was away meanwhile may have started writable, by its own configuration. While its commits wait for a replica that
  // it does not have, it acknowledges nothing, and cannot become read-only.
  const isHeld = (its: SwitchReading): boolean => acknowledgesNothing(its) && its.waitingCommits > 0
  if (!(old instanceof DatabaseError) && old.isWritable && old.channels.length === 0 && !isHeld(old)) {
    await from.server.setReadOnly(true)
  }
  if (target instanceof DatabaseError) return
  if (target.channels.length > 0) await to.server.stopReplication()
  if (!target.isWritable && !hasLost(target, [old, ...looksOf(others)])) await to.server.setReadOnly(false)
  if (target.channels.length > 0) await to.server.forgetSources()
}
