import type { Writer } from '../../contracts/routing.ts'
import { containsGtids, type GtidSet, gtidText, missingGtids } from '../databases/gtidSet.ts'
import type { ServerReading } from '../databases/probe.ts'
import { listNames, type ServiceFacts } from './decideWriter.ts'
import { isOut, leadTo, type Member, ownLostGtids, readingOf, removableCommits } from './replicationGraph.ts'

/** State of this host's own server when it was last as it should be. */
export type LastRun = {
  /** When it was started, in milliseconds since the epoch. */
  readonly startedAt: number
  readonly wasWriter: boolean
  /** True if it was a source of semi-synchronous replication. */
  readonly wasSemiSyncSource: boolean
  /** Set once its manager had it killed, or tried to. */
  readonly wasCrashed?: true
}

/** Action of a manager on the server of its own host; `wait` leaves it to a person. */
export type OwnOrder =
  | { readonly kind: 'writable'; readonly isSemiSyncSource: boolean }
  | { readonly kind: 'read-only' }
  /** Lets a former primary follow the one that took its place. */
  | { readonly kind: 'follow' }
  /** Kills a former primary: only so it removes commits that wait for a replica. Ended otherwise, they would become its own. */
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
  }
}

/** Milliseconds by which two readings of one start may differ: uptimes are whole seconds. */
const startTolerance = 2_000

/** Returns true where two times are those of two starts, the second of them later. */
export const isLaterStart = (before: number, after: number): boolean => after - before > startTolerance

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
    startedAt !== null && lastRun !== undefined && isLaterStart(lastRun.startedAt, startedAt)
  if (primary !== own) {
    const isSure = incumbent.isConfirmed && writer.datasource === primary.name
    // Nobody made it what it is since it was the writer: another one took its place while it was away.
    const isDeposed = isSure && lastRun?.wasWriter === true
    if (reading.isWritable) {
      if (removableCommits(reading) > 0) {
        const isInItsRun = isDeposed && !isRestarted && lastRun.wasCrashed === undefined
        return isInItsRun && reading.ackGaps.length === 0 ? { kind: 'crash' } : null
      }
      const isFormer = isDeposed || (isRestarted && (isSure || isFollower(primary, reading, members)))
      return isFormer ? { kind: 'read-only' } : null
    }
    return isDeposed && mayFollow(reading, readingOf(primary)) ? { kind: 'follow' } : null
  }
  if (reading.isWritable || reading.channels.length > 0) return null
  if (!isRestarted || !lastRun.wasWriter) return null
  const reason = reasonToWait(own, reading, members)
  return reason === undefined
    ? { kind: 'writable', isSemiSyncSource: lastRun.wasSemiSyncSource }
    : { kind: 'wait', reason }
}

/** Returns true for a server that follows nobody, and has and will have what the new primary has. */
function mayFollow(reading: ServerReading, primary: ServerReading | undefined): boolean {
  const { channels, gtids } = reading
  if (channels.length > 0 || !gtids || !primary?.gtids) return false
  return containsGtids(primary.gtids, gtids) && ownLostGtids(reading, primary) === undefined
}

/** Returns true where all channels of a server lead to a member, and there is one. */
const isFollower = (target: Member, { channels }: ServerReading, members: readonly Member[]): boolean =>
  channels.length > 0 && channels.every((it) => leadTo(target, [it], members) === 'yes')

/** Returns why only a person can say that the former writer is still the one; undefined if nothing speaks against it. */
function reasonToWait(own: Member, reading: ServerReading, members: readonly Member[]): string | undefined {
  const others = members.filter((it) => it !== own)
  const writable = others.filter((it) => readingOf(it)?.isWritable)
  if (writable.length > 0) return `${listNames(writable)} can be written`
  const read = others.filter((it) => readingOf(it) !== undefined)
  if ((read.length + 1) * 2 <= members.length) {
    const blind = others.filter((it) => !read.includes(it))
    return `${listNames(blind)} cannot be checked, and may know better`
  }
  for (const it of read) {
    const its = readingOf(it)
    if (!its || isOut(it)) continue
    if (!isFollower(own, its, members)) return `${it.name} does not follow it`
    const has = allGtids(its)
    if (!has || !reading.gtids) return `the GTIDs of ${has ? own.name : it.name} are not known`
    const missing = has.map((set) => missingGtids(set, reading.gtids as GtidSet))
    const found = missing.find(({ ranges }) => ranges.size > 0)
    if (found) return `${it.name} has transactions that it does not have: ${gtidText(found)}`
  }
  return undefined
}

/** Returns what a replica has applied and what it has received; undefined where that is not known. */
function allGtids({ gtids, channels }: ServerReading): readonly GtidSet[] | undefined {
  const all = [gtids, ...channels.map(({ receivedGtids }) => receivedGtids)]
  return all.some((it) => it === null) ? undefined : all.filter((it) => it !== null)
}
