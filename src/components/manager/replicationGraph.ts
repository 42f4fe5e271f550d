import { printableLine } from '../../base/printable.ts'
import type { SwitchOperation } from '../../contracts/managerPayloads.ts'
import type { TakenOffline } from '../../contracts/replicatorPayloads.ts'
import type { RecordedState } from '../../contracts/servicesMap.ts'
import type { Channel } from '../databases/dialect.ts'
import { databaseTypeOf } from '../databases/dialects.ts'
import {
  type GtidSet,
  gtidText,
  isWrittenBy,
  missingGtids,
  noGtids,
  uniteGtids,
  withoutLast,
} from '../databases/gtidSet.ts'
import { receivedGtids, type ServerReading } from '../databases/probe.ts'
import type { Observation } from './checkResult.ts'
import type { DataSource } from './dataSources.ts'

/** A data source with what is known of its server. Its `role` is the one that the services map means. */
export type Member = Pick<DataSource, 'name' | 'host' | 'port' | 'role'> & {
  readonly state: RecordedState
  /** Result of the last check; `unread` before the first. */
  readonly look: { readonly kind: 'unread' } | Observation
  /** The last reading, however long ago; null before the first. */
  readonly known: ServerReading | null
  /** When that was, in milliseconds that never go back. */
  readonly readAt?: number | null
  /** Person who took its replication offline. */
  readonly takenOffline?: TakenOffline | null
  /** Failed checks in a row. */
  readonly failures: number
}

/** Returns what the last check read; undefined where it read nothing. */
export const readingOf = ({ look }: Member): ServerReading | undefined =>
  look.kind === 'answered' ? look.reading : undefined

/** Returns true where a person took it out. */
export const isOut = ({ state }: Pick<Member, 'state'>): boolean => state === 'OFFLINE' || state === 'SHUNNED'

/** Returns true for a server that may be written and follows nobody. */
export const isPrimary = ({ isWritable, channels }: ServerReading): boolean =>
  isWritable && channels.length === 0

/** Returns true for a member whose server calls itself a primary and that nobody took out. */
export function isClaimant(member: Member): boolean {
  const reading = readingOf(member)
  return reading !== undefined && isPrimary(reading) && !isOut(member)
}

/** Source of a channel: a member, a server that is none of the service, or one of which nothing can be said yet. */
type Source = Member | 'stranger' | 'untold'

function sourceOf(channel: Channel, members: readonly Member[]): Source {
  const { source, sourceId, receiver } = channel
  const sameId = sourceId === null ? [] : members.filter(({ known }) => known?.serverId === sourceId)
  const byId = sameId.length === 1 ? sameId[0] : undefined
  const isConnected = receiver === 'running'
  // A server may have several addresses, and an address several servers; a number that it connected to is one server.
  const byPlace = members.find(
    ({ host, port, known }) =>
      host.toLowerCase() === source.host.toLowerCase() &&
      port === source.port &&
      (!isConnected || sourceId === null || known === null || known.serverId === sourceId),
  )
  const found = isConnected ? (byId ?? byPlace) : (byPlace ?? byId)
  return found ?? (members.some(({ known }) => known === null) ? 'untold' : 'stranger')
}

/** Names the servers that a member replicates from, for people. */
export function sourceNames(channels: readonly Channel[], members: readonly Member[]): string {
  const names = channels.map((channel) => {
    const source = sourceOf(channel, members)
    if (typeof source !== 'string') return source.name
    const { host, port } = channel.source
    return `${printableLine(host.slice(0, 253))} port ${port}`
  })
  return [...new Set(names)].slice(0, 5).join(', ')
}

/** Returns the name of the member that a server replicates from; null for none, and for a server outside the service. */
export function followedName({ known }: Member, members: readonly Member[]): string | null {
  for (const channel of known?.channels ?? []) {
    const source = sourceOf(channel, members)
    if (typeof source !== 'string') return source.name
  }
  return null
}

/** Returns the GTIDs that a replica has and the primary has not; undefined for none. Those of the primary itself only came later. */
export function errantGtids(replica: ServerReading, primary: ServerReading): GtidSet | undefined {
  const { gtids, serverId, uuid } = primary
  if (!gtids || !replica.gtids || (serverId === null && uuid === null)) return undefined
  const missing = missingGtids(replica.gtids, gtids, (source) => isSourceOf(primary, source))
  return missing.ranges.size === 0 ? undefined : missing
}

/**
 * Counts the commits that wait for a replica and that a crash removes, while any other end keeps them. MySQL keeps them
 * after a crash, too, unless its manager's unit made it.
 */
export const removableCommits = ({
  version,
  waitingCommits,
}: Pick<ServerReading, 'version' | 'waitingCommits'>): number =>
  databaseTypeOf(version) === 'mariadb' ? waitingCommits : 0

/** Returns the GTIDs that a server wrote itself, lacks now, and would leave out if it followed the primary; undefined for none. */
export function ownLostGtids(reading: ServerReading, primary: ServerReading): GtidSet | undefined {
  if (reading.takesOwn || !reading.gtids || !primary.gtids) return undefined
  const missing = missingGtids(primary.gtids, reading.gtids, (source) => !isSourceOf(reading, source))
  return missing.ranges.size === 0 ? undefined : missing
}

/** Returns true for a replica that was read, is not out and follows a member, directly or through others. */
export const isFollower = (it: Member, target: Member, members: readonly Member[]): boolean =>
  it !== target && !isOut(it) && leadTo(target, readingOf(it)?.channels ?? [], members) === 'yes'

/** Returns true where more than half of these are the target or follow it. */
export const leadsMost = (target: Member, some: readonly Member[], members: readonly Member[]): boolean =>
  some.filter((it) => it === target || isFollower(it, target, members)).length * 2 > some.length

/**
 * Returns true where the servers themselves show the primary of a switch or a failover: it may be written and follows
 * nobody, the former one may not be written, and more than half of the servers in use are it or lead to it. A lost one is
 * not in use.
 */
export function showsPrimary(
  all: readonly Member[],
  {
    operation,
    from,
    to,
  }: { readonly operation: SwitchOperation; readonly from: string; readonly to: string },
): boolean {
  const target = all.find(({ name }) => name === to)
  const former = all.find(({ name }) => name === from)
  if (!target || !isClaimant(target) || (former && readingOf(former)?.isWritable)) return false
  const inUse = all.filter(
    (it) => it.role !== 'witness' && !isOut(it) && (operation === 'switch' || it !== former),
  )
  return leadsMost(target, inUse, all)
}

/** Returns what a member has or has received by its last check; null where nothing is known of that. */
export function receivedBy(member: Member): GtidSet | null {
  const reading = readingOf(member)
  return reading ? receivedGtids(reading) : null
}

/**
 * Returns true for a former primary that is back, takes no writes, follows nobody, and lacks a transaction that it wrote itself
 * and another member has or has received: its end cost it that. What others wrote by themselves does not count.
 */
export function hasLostOwn(member: Member, others: readonly Member[]): boolean {
  const reading = readingOf(member)
  if (!reading?.gtids || reading.isWritable || reading.channels.length > 0) return false
  const { gtids } = reading
  return others.some((it) => {
    const has = receivedBy(it)
    return has !== null && missingGtids(has, gtids, (source) => !isSourceOf(reading, source)).ranges.size > 0
  })
}

/**
 * Returns true for a server with all settings of a source that acknowledges nothing too early, but for the role itself, which
 * it does not have after a start: it may have been one.
 */
export const lacksRoleAlone = ({ ackGaps }: ServerReading): boolean =>
  ackGaps.length === 1 && ackGaps.every((it) => it.endsWith('_enabled=1'))

/**
 * Returns what a server has but for its own commits that wait for a replica, which are its last ones; null where that is not
 * known. The GTIDs of a MySQL do not name those.
 */
export function toldGtids(reading: ServerReading): GtidSet | null {
  const { gtids } = reading
  return gtids && withoutLast(gtids, removableCommits(reading), (source) => isSourceOf(reading, source))
}

/** Returns what a MySQL wrote itself, and others have or have received by their last checks. */
export function heldByOthers(own: Member, members: readonly Member[]): GtidSet {
  const uuid = own.known?.uuid
  const has = uniteGtids(members.flatMap((it) => (it === own ? [] : (receivedBy(it) ?? []))))
  return missingGtids(has, noGtids, (source) => !uuid || !isWrittenBy(uuid, source))
}

/** Returns true for a source that tells no client of a commit, since it waits for replicas and has none. */
export const acknowledgesNothing = ({ ackGaps, ackers }: ServerReading): boolean =>
  ackGaps.length === 0 && ackers === 0

/** Returns true for a reading of a replica whose word a source waits for: it receives from that member, directly. */
export const acknowledges = (
  { semiSync, channels }: ServerReading,
  source: Member,
  members: readonly Member[],
): boolean => {
  const running = channels.filter(({ receiver }) => receiver === 'running')
  return semiSync.replica && leadTo(source, running, members, () => false) === 'yes'
}

/**
 * Returns a text that stays the same while commits of a primary wait and nothing comes of it, though replicas follow it that are
 * there and would tell; undefined where that is not so.
 */
export function waitsInVain(own: Member, members: readonly Member[]): string | undefined {
  const reading = readingOf(own)
  if (!reading || reading.waitingCommits === 0 || !reading.ackers) return undefined
  const received = members.flatMap((it) => {
    const its = it === own ? undefined : readingOf(it)
    if (!its || !acknowledges(its, own, members)) return []
    const has = uniteGtids(its.channels.flatMap(({ receivedGtids: all }) => all ?? []))
    return [`${it.name} ${gtidText(has, Number.POSITIVE_INFINITY)}`]
  })
  return received.length === 0 ? undefined : `${reading.acknowledged} ${received.join()}`
}

/** Returns true for the GTIDs that a server writes. */
const isSourceOf = ({ serverId, uuid }: ServerReading, source: string): boolean =>
  isWrittenBy(uuid ?? serverId ?? '', source)

/** Returns true if every channel comes from a server that is none of the service. */
export const followsStrangers = (channels: readonly Channel[], members: readonly Member[]): boolean =>
  channels.length > 0 && channels.every((channel) => sourceOf(channel, members) === 'stranger')

/**
 * Returns whether channels lead to a member, directly or through others that `pass` accepts; `untold` where that depends on
 * a server that was never read.
 */
export function leadTo(
  target: Member,
  channels: readonly Channel[],
  members: readonly Member[],
  pass: (other: Member) => boolean = () => true,
  passed: ReadonlySet<Member> = new Set(),
): 'yes' | 'no' | 'untold' {
  const ends = channels.map((channel) => {
    const source = sourceOf(channel, members)
    if (source === target) return 'yes'
    if (source === 'stranger') return 'no'
    if (source === 'untold' || source.known === null) return 'untold'
    if (passed.has(source) || !pass(source)) return 'no'
    return leadTo(target, source.known.channels, members, pass, new Set([...passed, source]))
  })
  if (ends.includes('yes')) return 'yes'
  return ends.includes('untold') ? 'untold' : 'no'
}
