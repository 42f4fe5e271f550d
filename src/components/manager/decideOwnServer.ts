import type { Writer } from '../../contracts/routing.ts'
import { containsGtids, type GtidSet, gtidText, missingGtids } from '../databases/gtidSet.ts'
import { receivedGtids, type ServerReading } from '../databases/probe.ts'
import { listNames, type ServiceFacts } from './decideWriter.ts'
import {
  acknowledgesNothing,
  followedName,
  isOut,
  isPrimary,
  lacksRoleAlone,
  leadTo,
  type Member,
  ownLostGtids,
  readingOf,
  receivedBy,
  removableCommits,
  toldGtids,
} from './replicationGraph.ts'

/** State of this host's own server when it was last as it should be. */
export type LastRun = {
  /** When it was started, in milliseconds since the epoch. */
  readonly startedAt: number
  readonly wasWriter: boolean
  /** True if it was a source of semi-synchronous replication. */
  readonly wasSemiSyncSource: boolean
  /** The writer that it followed, directly: then, or before it became the writer; absent for none. */
  readonly follows?: string
  /** Set once its manager had it killed, or tried to. */
  readonly wasCrashed?: true
  /** Set once its manager makes it read-only as the primary that it knows, since another one had taken its place. */
  readonly gaveWay?: true
  /** GTIDs of a MySQL that it wrote and other servers had then: its log keeps those. */
  readonly kept?: string
}

/** Action of a manager on the server of its own host; `wait` leaves it to a person. */
export type OwnOrder =
  | { readonly kind: 'writable'; readonly isSemiSyncSource: boolean }
  | { readonly kind: 'read-only' }
  /** Lets a former primary, or a replica of it that was away meanwhile, follow the one that took its place. */
  | { readonly kind: 'follow'; readonly to: string }
  /** Lets the writer wait for the word of its replicas again, as all its other settings say. */
  | { readonly kind: 'semi-sync' }
  /**
   * Kills a former primary whose commits wait for a replica, since nothing else ends that: MySQL lets nobody make it read-only
   * before, and MariaDB removes them only after a crash. Ended otherwise, they would become its own. Also one that waits in vain.
   */
  | { readonly kind: 'crash' }
  | { readonly kind: 'wait'; readonly reason: string }

type Facts = ServiceFacts & {
  readonly writer: Writer
  readonly own: {
    /** Name of its data source. */
    readonly name: string
    readonly startedAt: number | null
    /** Undefined if nothing is recorded of it. */
    readonly lastRun: LastRun | undefined
    /** Milliseconds for which its commits wait though a replica is there; see `waitsInVain`. */
    readonly vain: number
  }
}

/** Milliseconds by which two readings of one start may differ: uptimes are whole seconds. */
export const startTolerance = 2_000

/**
 * Milliseconds after which a primary waits in vain for a replica that is there: MariaDB 10.11 asks one that was cut off, and has
 * had everything since, for no word any more, and waits without end. The largest event of 1 GiB takes that long at 1 Gbit/s.
 */
const vainLimit = 10_000

/**
 * Returns true where two times are those of one start. A server tells its uptime by the clock that it was started by, so the
 * time of a start stays whatever becomes of the clock; that of the next start may be earlier.
 */
export const isSameStart = (one: number, other: number): boolean => Math.abs(one - other) <= startTolerance

/**
 * Decides about the server of a manager's own host after it was started: a configuration file may say what its role was
 * once. Only the writer before is made writable, and only if no other server can have become the writer or have more of
 * its data; null where nothing is to be done.
 */
export function decideOwnServer(facts: Facts): OwnOrder | null {
  const { members, incumbent, policy, openSwitch, writer } = facts
  const { name, startedAt, lastRun } = facts.own
  const own = members.find((it) => it.name === name)
  const reading = own && readingOf(own)
  const primary = members.find((it) => it.name === incumbent.name)
  if (!own || !reading || !primary || isOut(own)) return null
  if (policy !== 'AUTOMATIC' || openSwitch !== null) return null
  const isRestarted =
    startedAt !== null && lastRun !== undefined && !isSameStart(lastRun.startedAt, startedAt)
  const mayCrash = !isRestarted && lastRun?.wasCrashed === undefined && reading.ackGaps.length === 0
  if (primary !== own) {
    const isSure = incumbent.isConfirmed && writer.datasource === primary.name
    // Nobody made it what it is since it was the writer: another one took its place while it was away.
    const isDeposed = isSure && lastRun?.wasWriter === true
    // Whatever became of that one, this one acknowledges nothing any more: its replicas are gone.
    const hasEnded = isDeposed || (lastRun?.wasWriter === true && acknowledgesNothing(reading))
    if (reading.isWritable) {
      // The log of a MySQL loses all that no other server is known to have.
      const isTold = removableCommits(reading) > 0 || receivedBy(primary) !== null
      if (reading.waitingCommits > 0 && hasEnded && mayCrash) return isTold ? { kind: 'crash' } : null
      if (removableCommits(reading) > 0) return null
      const isFormer = hasEnded || (isRestarted && (isSure || isFollower(primary, reading, members)))
      return isFormer ? { kind: 'read-only' } : null
    }
    const isReturned = lastRun?.wasWriter === true && !incumbent.isNamed && leadsAll(own, reading, members)
    if (isReturned) return { kind: 'writable', isSemiSyncSource: lastRun.wasSemiSyncSource }
    const isBack = isRestarted && lastRun.wasWriter && isAwaited(primary, own, facts)
    const isAlone = (isDeposed || isBack) && reading.channels.length === 0
    const isLeft = isSure && isLeftBehind(own, primary, { members, lastRun })
    const to = primary.name
    return (isAlone || isLeft) && mayFollow(reading, readingOf(primary)) ? { kind: 'follow', to } : null
  }
  if (isPrimary(reading)) {
    if (isStale(own, reading, members)) {
      if (reading.waitingCommits > 0 && mayCrash) return { kind: 'crash' }
      return removableCommits(reading) === 0 ? { kind: 'read-only' } : null
    }
    const isWriter = incumbent.isConfirmed && writer.datasource === name
    if (isWriter && facts.own.vain >= vainLimit && mayCrash) return { kind: 'crash' }
    return isWriter && lacksRoleAlone(reading) && reading.semiSyncClients > 0 ? { kind: 'semi-sync' } : null
  }
  if (reading.isWritable || reading.channels.length > 0) return null
  if (!isRestarted) return null
  const former = incumbent.isNamed ? undefined : returnedTo(own, reading, { members, lastRun })
  if (former) return { kind: 'follow', to: former.name }
  if (!lastRun.wasWriter) return null
  const isSource = lastRun.wasSemiSyncSource || lacksRoleAlone(reading)
  const reason = reasonToWait(own, reading, { members, isSource })
  return reason === undefined
    ? { kind: 'writable', isSemiSyncSource: lastRun.wasSemiSyncSource }
    : { kind: 'wait', reason }
}

/**
 * Returns true for a primary that ended after it had taken the place of another one, and is back: it becomes writable once all
 * others follow it, the former one, too. Where its manager has not seen it as the primary for long, others follow it, or none
 * follows the former one.
 */
function isAwaited(
  primary: Member,
  former: Member,
  { members, incumbent }: Pick<Facts, 'members' | 'incumbent'>,
): boolean {
  const reading = readingOf(primary)
  if (!reading || reading.isWritable || reading.channels.length > 0) return false
  const isFollowed = (target: Member): boolean =>
    members.some((it) => {
      const its = readingOf(it)
      return its !== undefined && isFollower(target, its, members)
    })
  return incumbent.isConfirmed || isFollowed(primary) || !isFollowed(former)
}

/** Returns true for a server that follows nobody, where all others were read, follow it, and have nothing that it lacks. */
function leadsAll(own: Member, { gtids, channels }: ServerReading, members: readonly Member[]): boolean {
  if (!gtids || channels.length > 0) return false
  return members.every((it) => {
    const its = readingOf(it)
    return it === own || (its !== undefined && isFollower(own, its, members) && hasNoMore(it, own, gtids))
  })
}

/**
 * Returns the former primary that a primary gives way to: it ended as soon as it had taken its place, and wrote nothing, while
 * the one that it had followed is back with all that any server has, and can be written already, or has more than this one.
 */
function returnedTo(
  own: Member,
  reading: ServerReading,
  { members, lastRun }: { readonly members: readonly Member[]; readonly lastRun: LastRun },
): Member | undefined {
  const former = members.find((it) => it !== own && it.name === lastRun.follows && !isOut(it))
  const its = former && readingOf(former)
  if (!former || !its?.gtids || its.channels.length > 0) return undefined
  const { gtids, isWritable } = its
  if (!isWritable && reading.gtids && containsGtids(reading.gtids, gtids)) return undefined
  const hasAll = members.every((it) => hasNoMore(it, former, gtids))
  return hasAll && mayFollow(reading, its) ? former : undefined
}

/** Returns true for a member that was read, has nothing that another one lacks, and is not the writer beside it. */
function hasNoMore(member: Member, than: Member, gtids: GtidSet): boolean {
  const has = receivedBy(member)
  if (!has || (member !== than && readingOf(member)?.isWritable !== false)) return false
  return containsGtids(gtids, has)
}

/** Returns true for a server that has nothing of its own, and will have all that the new primary has. */
function mayFollow(reading: ServerReading, primary: ServerReading | undefined): boolean {
  const has = receivedGtids(reading)
  if (!has || !primary?.gtids) return false
  return containsGtids(primary.gtids, has) && ownLostGtids(reading, primary) === undefined
}

/** Returns true where a server follows the writer that it had, which is none any more, and nobody gave it another source since. */
function isLeftBehind(
  own: Member,
  primary: Member,
  { members, lastRun }: { readonly members: readonly Member[]; readonly lastRun: LastRun | undefined },
): boolean {
  const former = lastRun?.follows
  if (former === undefined || former === primary.name || readingOf(own)?.channels.length !== 1) return false
  const source = members.find(({ name }) => name === former)
  const reading = source && readingOf(source)
  return followedName(own, members) === former && !(reading && isPrimary(reading))
}

/**
 * Returns true for a primary that tells no client of anything, while one that took its place is back from its own end and has
 * what it lacks.
 */
function isStale(own: Member, reading: ServerReading, members: readonly Member[]): boolean {
  const told = toldGtids(reading)
  if (!acknowledgesNothing(reading) || !told) return false
  if (members.some((it) => it !== own && leadTo(own, readingOf(it)?.channels ?? [], members) === 'yes'))
    return false
  return members.some((it) => {
    const its = readingOf(it)
    if (it === own || !its?.gtids || its.isWritable || its.channels.length > 0 || isOut(it)) return false
    return !containsGtids(told, its.gtids) && containsGtids(its.gtids, told)
  })
}

/** Returns true where all channels of a server lead to a member, and there is one. */
const isFollower = (target: Member, { channels }: ServerReading, members: readonly Member[]): boolean =>
  channels.length > 0 && channels.every((it) => leadTo(target, [it], members) === 'yes')

/**
 * Returns why only a person can say that the former writer is still the one; undefined if nothing speaks against it. A crash may
 * cost a source of semi-synchronous replication a commit that one replica acknowledged: then each of them has to be asked.
 */
function reasonToWait(
  own: Member,
  reading: ServerReading,
  { members, isSource }: { readonly members: readonly Member[]; readonly isSource: boolean },
): string | undefined {
  const others = members.filter((it) => it !== own)
  const writable = others.filter((it) => readingOf(it)?.isWritable)
  if (writable.length > 0) return `${listNames(writable)} can be written`
  const read = others.filter((it) => readingOf(it) !== undefined)
  const blind = others.filter((it) => !read.includes(it))
  if (isSource && blind.length > 0) {
    return `${listNames(blind)} cannot be checked, and may have what it lost when it ended`
  }
  if ((read.length + 1) * 2 <= members.length) {
    return `${listNames(blind)} cannot be checked, and may know better`
  }
  for (const it of read) {
    const its = readingOf(it)
    if (!its || (isOut(it) && !isSource)) continue
    const givesIn = isSource && givesWay(it, its, { own, reading, members })
    if (!isOut(it) && !givesIn && !isFollower(own, its, members)) {
      return `${it.name} does not follow it`
    }
    const has = receivedBy(it)
    if (!has || !reading.gtids) return `the GTIDs of ${has ? own.name : it.name} are not known`
    const missing = missingGtids(has, reading.gtids)
    if (missing.ranges.size > 0) {
      return `${it.name} has transactions that it does not have: ${gtidText(missing)}`
    }
  }
  return undefined
}

/**
 * Returns true for a server that could not be the writer in place of this one: it follows another member, or follows nobody, as a
 * primary from before after its start. Then the one with more is the writer, and of two that have the same, the first one of
 * the map.
 */
function givesWay(
  it: Member,
  its: ServerReading,
  {
    own,
    reading,
    members,
  }: { readonly own: Member; readonly reading: ServerReading; readonly members: readonly Member[] },
): boolean {
  if (its.channels.length > 0) return its.channels.length === 1 && followedName(it, members) !== null
  if (!its.gtids || !reading.gtids) return false
  return !containsGtids(its.gtids, reading.gtids) || members.indexOf(own) < members.indexOf(it)
}
