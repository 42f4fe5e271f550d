import { printableLine } from '../../base/printable.ts'
import { defaultMaxLag, lateReasons } from '../../contracts/replicaLag.ts'
import type { ReasonCode, Writer } from '../../contracts/routing.ts'
import type { DataSourceRole } from '../../contracts/servicesMap.ts'
import type { Channel, ThreadError } from '../databases/dialect.ts'
import { containsGtids, gtidText } from '../databases/gtidSet.ts'
import type { ServerReading } from '../databases/probe.ts'
import type { Finding } from './checkResult.ts'
import {
  decideWriter,
  heldFor,
  listNames,
  type OpenSwitch,
  type ServiceFacts,
  unwatchedWriter,
  type WriterDecision,
} from './decideWriter.ts'
import {
  acknowledgesNothing,
  errantGtids,
  followedName,
  followsStrangers,
  isClaimant,
  isFollower,
  isOut,
  isPrimary,
  leadTo,
  type Member,
  readingOf,
  removableCommits,
  sourceNames,
} from './replicationGraph.ts'

/** A data source as its server really is. */
export type MemberAssessment = {
  readonly role: DataSourceRole
  /** Null before the first check. */
  readonly finding: Finding | null
  /** True if it is so far behind that it takes no reads (option `max-replica-lag`). */
  readonly isLate: boolean
  /** Data source that its server replicates from; null for none of the service. */
  readonly follows: string | null
}

/** The writer of a service and its data sources by name. */
export type ServiceAssessment = WriterDecision & {
  readonly members: ReadonlyMap<string, MemberAssessment>
}

type Facts = ServiceFacts & {
  /** Milliseconds; null for any. */
  readonly maxReplicaLag: number | null
}

/** Returns what the last checks of a service's data sources mean together. */
export function assessService(facts: Facts): ServiceAssessment {
  const members = facts.members.filter(({ role }) => role !== 'witness')
  const decision = decideWriter({ ...facts, members })
  const { name: primary, isConfirmed } = decision.incumbent
  const view: View = { ...facts, members, writer: decision.writer, primary, isConfirmed }
  return {
    ...decision,
    members: new Map(
      facts.members.map((it) => {
        const isLate = it.role !== 'witness' && isBehind(it, view)
        const follows = it.role === 'witness' ? null : followedName(it, members)
        return [it.name, { role: roleOf(it, view), finding: findingOf(it, view), isLate, follows }]
      }),
    ),
  }
}

/** Returns a service that nobody checks: it is as the map says. */
export function assumeService(
  facts: Pick<ServiceFacts, 'service' | 'members' | 'incumbent' | 'openSwitch'>,
): ServiceAssessment {
  const { service, members, incumbent, openSwitch } = facts
  return {
    writer: openSwitch?.isInForce ? heldFor(openSwitch) : unwatchedWriter(service, members),
    incumbent,
    fence: null,
    members: new Map(
      members.map(({ name, role }) => [name, { role, finding: null, isLate: false, follows: null }]),
    ),
  }
}

/** A service after the decision about its writer. */
type View = {
  readonly members: readonly Member[]
  readonly writer: Writer
  /** Name of the incumbent. */
  readonly primary: string | null
  readonly isConfirmed: boolean
  readonly maxReplicaLag: number | null
  readonly openSwitch: OpenSwitch | null
}

const replicating: ReadonlySet<DataSourceRole> = new Set(['replica', 'relay', 'standby', 'archive'])

const asReplica = (role: DataSourceRole): DataSourceRole => (replicating.has(role) ? role : 'replica')

/** Returns true for a server that does not answer, and whose place as the primary another one has taken. */
function hasSuccessor(member: Member, { primary, members }: View): boolean {
  const successor = members.find(({ name }) => name === primary)?.known
  return !readingOf(member) && member.name !== primary && successor != null && isPrimary(successor)
}

function roleOf(member: Member, view: View): DataSourceRole {
  const { name, role, known } = member
  const { primary } = view
  if (role === 'witness') return role
  if (known === null) return name === primary ? 'primary' : role
  if (isPrimary(known) && !hasSuccessor(member, view)) return 'primary'
  if (known.channels.length > 0) return asReplica(role)
  return name === primary ? 'primary' : asReplica(role)
}

const passed: Finding = { result: 'passed', code: null, reason: null }
const failed = (code: ReasonCode | null, reason: string): Finding => ({ result: 'failed', code, reason })

function findingOf(member: Member, view: View): Finding | null {
  const { look, role } = member
  if (look.kind === 'unread') return null
  if (look.kind === 'failed') return failed(null, look.error.message)
  if (look.kind === 'unable') {
    return { result: 'unable', code: null, reason: `It cannot be checked. ${look.error.message}` }
  }
  if (role === 'witness') return passed
  const { reading } = look
  if (reading.channels.length > 0) return ofReplica(member, reading, view)
  return reading.isWritable ? ofPrimary(member, view) : ofReadOnly(member, reading, view)
}

/** Returns true where all replicas that were read follow a member, and there is one. */
function isFollowedByAll(member: Member, members: readonly Member[]): boolean {
  const replicas = members.filter((it) => it !== member && !isOut(it) && readingOf(it)?.channels.length)
  return (
    replicas.length > 0 &&
    replicas.every((it) => leadTo(member, readingOf(it)?.channels ?? [], members) === 'yes')
  )
}

/** Returns true for a source of semi-synchronous replication that was fenced and has no replica any more. */
function isFencedFormer(member: Member): boolean {
  const reading = readingOf(member)
  return member.state === 'FAILED' && reading !== undefined && acknowledgesNothing(reading)
}

/** Evaluates a server that may be written and follows nobody. */
function ofPrimary(member: Member, { members, writer, primary, isConfirmed, openSwitch }: View): Finding {
  const { name, state } = member
  if (name === writer.datasource) return filterFinding(member)
  const rivals = members.filter((it) => it !== member && isClaimant(it))
  const other = writer.datasource ?? (rivals.length > 0 ? listNames(rivals) : undefined)
  const waiting = writer.datasource === null ? undefined : unackedReason(readingOf(member), writer.datasource)
  const contradiction =
    waiting ?? `It can be written and follows nobody, as ${other} does. Make it a replica, or shun the other.`
  if (state === 'ONLINE') {
    // No state changes by itself while it is open who is right.
    if (other !== undefined) return { ...passed, code: 'two-writers', reason: contradiction }
    if (name === primary) return filterFinding(member)
    const reason = `It can be written and follows nobody, but the primary is ${primary ?? 'not known'}.`
    return { ...passed, code: 'no-writer', reason }
  }
  // The word of the others decides between two that nobody writes to.
  if (writer.datasource === null && isFollowedByAll(member, members)) return passed
  // It took the place of others that are fenced for that, and tell no client of anything.
  if (name === primary && isConfirmed && rivals.every(isFencedFormer)) return passed
  // Its replication was stopped by the switch that made it the primary.
  if (writer.datasource === null && name === openSwitch?.to && rivals.length === 0) return passed
  if (other !== undefined) return failed('two-writers', contradiction)
  const incumbent = members.find((it) => it.name === primary)
  if (incumbent === member || incumbent === undefined || isOut(incumbent)) return passed
  // The one before is back, is no primary any more, and nobody follows it.
  const before = readingOf(incumbent)
  const isFollowed = members.some((it) => isFollower(it, incumbent, members))
  if (before && !isPrimary(before) && !isFollowed) return passed
  return failed(
    'two-writers',
    `It can be written and follows nobody, but the primary is ${incumbent.name}. Make it a replica, or shun ${incumbent.name}.`,
  )
}

/** Returns why only a crash lets a former primary follow the new one: its commits wait for a replica. Undefined where none does. */
export function unackedReason(reading: ServerReading | null | undefined, writer: string): string | undefined {
  const count = reading?.waitingCommits ?? 0
  if (!reading || count === 0) return undefined
  const after =
    removableCommits(reading) > 0
      ? 'so that it removes them; a proper stop would make them its own transactions.'
      : 'since nothing else ends that; it keeps them as its own transactions where no replica received them.'
  return `${writer} took its place, and commits wait here for a replica: ${count}. Kill its server (SIGKILL) and start it, ${after}`
}

/** Returns the finding of a primary, which counts what its binary log leaves out; other settings act on replicas alone. */
function filterFinding(member: Member): Finding {
  const filters = readingOf(member)?.omissions.filter(({ reason }) => reason === 'binary-log-filter') ?? []
  if (filters.length === 0) return passed
  const settings = filters.map(({ setting }) => setting).join(', ')
  const reason = `It leaves changes out of its binary log, so that its replicas lack them: ${settings}. A switch from it is refused.`
  return { ...passed, code: 'partial-replica', reason }
}

/** Evaluates a server that follows nobody and takes no writes. */
function ofReadOnly({ name, role }: Member, reading: ServerReading, view: View): Finding {
  const { primary } = view
  if (name === primary) {
    return failed('read-only-primary', 'It is read-only, so nobody can write. Set read_only to OFF on it.')
  }
  const errant = errantReason(reading, primaryOf(view))
  if (errant) {
    const reason = `It does not replicate. ${errant.reason} Compare them, then make it anew from a backup of ${primary} (muster provision ${name}).`
    return failed('not-replicating', reason)
  }
  if (!replicating.has(role)) {
    const reason = `It does not replicate, and the primary is ${primary ?? 'not known'}. Set up its replication.`
    return failed('not-replicating', reason)
  }
  return failed(
    'not-replicating',
    `It is a ${role} by the services map, but does not replicate. Set up its replication.`,
  )
}

const words = (error: ThreadError | null): string =>
  error ? ` ERROR ${error.number}: ${error.message.trim().replace(/([^.])$/, '$1.')}` : ''

/** Returns why a channel does not replicate by itself, with the server's number and words. */
function stoppedReason({ applier, applierError, receiver, receiverError }: Channel): string | undefined {
  if (applier === 'stopped') return `The applier is stopped.${words(applierError)}`
  if (receiver === 'stopped') return `The receiver is stopped.${words(receiverError)}`
  return undefined
}

/** A receiver that retries misses its primary: not the replica's failure, and reported only once it has an error. */
const waitingReason = ({ receiver, receiverError }: Channel): string | undefined =>
  receiver === 'connecting' && receiverError
    ? `The receiver cannot connect to the primary, and tries again.${words(receiverError)}`
    : undefined

/** Returns true for a replica that cannot reach its source. One that has just begun to connect reports no error yet. */
export const isDisconnected = ({ channels }: ServerReading): boolean =>
  channels.some((it) => waitingReason(it) !== undefined)

const inChannel = ({ name }: Channel, sentence: string): string =>
  name === '' ? sentence : `Channel ${name}: ${sentence}`

const told = (channels: readonly Channel[], sentenceOf: (channel: Channel) => string | undefined): string =>
  channels
    .flatMap((channel) => {
      const sentence = sentenceOf(channel)
      return sentence === undefined ? [] : [inChannel(channel, sentence)]
    })
    .join(' ')

/** Evaluates a server that follows somebody. Being late is no failure. */
function ofReplica(member: Member, reading: ServerReading, view: View): Finding {
  const { members } = view
  const { channels } = reading
  const stopped = told(channels, stoppedReason)
  if (stopped !== '') return takenOfflineFinding(member, channels) ?? failed('not-replicating', stopped)
  const primary = primaryOf(view)
  const astray = strayReason(channels, primary, members)
  if (astray) return astray
  const remarks: readonly { readonly code: ReasonCode | null; readonly reason: string }[] = [
    errantReason(reading, primary) ?? [],
    omissionReason(reading),
    reading.isWritable
      ? {
          code: 'writable-replica' as const,
          reason: 'It can be written, although it is a replica. Set read_only to ON on it.',
        }
      : [],
    mappedReason(member, view),
    { code: null, reason: told(channels, waitingReason) },
    { code: null, reason: lateReason(member, view) },
  ]
    .flat()
    .filter(({ reason }) => reason !== '')
  if (remarks.length === 0) return passed
  return {
    result: 'passed',
    code: remarks.find(({ code }) => code !== null)?.code ?? null,
    reason: remarks.map(({ reason }) => reason).join(' '),
  }
}

/** Returns the finding of replication that a person stopped; undefined where something of it stopped with an error. */
function takenOfflineFinding({ takenOffline }: Member, channels: readonly Channel[]): Finding | undefined {
  if (!takenOffline || channels.some(({ applierError, receiverError }) => applierError || receiverError)) {
    return undefined
  }
  const { by, since } = takenOffline
  const reason = `Its replication was taken offline by ${printableLine(by)} at ${since}. Start it with tapi replicator online.`
  return { ...failed(null, reason), takenOffline }
}

const isRelay = ({ role }: Member): boolean => role === 'relay'

/** Returns the finding of a replica that does not follow the writer, directly or through relays. */
function strayReason(
  channels: readonly Channel[],
  primary: Member | undefined,
  members: readonly Member[],
): Finding | undefined {
  const names = sourceNames(channels, members)
  if (followsStrangers(channels, members)) {
    const reason = `It follows ${names}, which is none of the service's data sources. Let it follow the primary.`
    return failed('unknown-server', reason)
  }
  if (!primary || leadTo(primary, channels, members, isRelay) !== 'no') return undefined
  return failed(
    'follows-other',
    `It follows ${names}, not the primary ${primary.name}. Let it follow ${primary.name}.`,
  )
}

/** Returns the remark about GTIDs that a replica has and the writer has not. */
function errantReason(replica: ServerReading, primary: Member | undefined) {
  const writer = primary && readingOf(primary)
  const errant = writer && errantGtids(replica, writer)
  if (!errant) return undefined
  const reason = `It has transactions that ${primary.name} does not have: ${gtidText(errant)}.`
  return { code: 'errant-transactions' as const, reason }
}

/** Returns the remark about settings by which a replica lacks what the primary has. */
function omissionReason({ omissions }: ServerReading) {
  const [first] = omissions
  if (!first) return []
  const settings = omissions.map(({ setting }) => setting).join(', ')
  const reason = `It may lack changes of the primary: ${settings}. A switch to it is refused.`
  return { code: 'partial-replica' as const, reason }
}

/** Returns the remark about a replica that the services map calls the primary. */
function mappedReason({ role, name }: Member, { writer, primary }: View) {
  if (role !== 'primary') return []
  if (name === primary)
    return { code: 'no-writer' as const, reason: 'It is the primary, but follows another server.' }
  if (writer.datasource === null) return []
  const reason = `The services map names it as the primary, but that is ${writer.datasource}. Correct the map with tapi map.`
  return { code: 'read-only-primary' as const, reason }
}

/** Unknown lag counts as none. */
const isOver = ({ channels }: ServerReading, most: number): boolean =>
  channels.some(({ secondsBehind }) => (secondsBehind ?? 0) * 1000 > most)

/** Returns true for a replica that takes no reads, since it is too far behind. */
function isBehind(member: Member, view: View): boolean {
  const { maxReplicaLag: most } = view
  const reading = readingOf(member)
  if (most === null || reading === undefined) return false
  return isOver(reading, most) || isCutOff(reading, primaryOf(view))
}

/** Returns the remark about a replica that is late; empty for none. */
function lateReason(member: Member, view: View): string {
  if (isBehind(member, view)) return lateReasons.unread
  const reading = readingOf(member)
  const isLate = view.maxReplicaLag === null && reading && isOver(reading, defaultMaxLag * 1000)
  return isLate ? lateReasons.read : ''
}

/** Returns true where a replica cannot reach the primary, and the primary has written since. It does not say how late it is then. */
function isCutOff(reading: ServerReading, primary: Member | undefined): boolean {
  const { gtids } = reading
  const written = primary && readingOf(primary)?.gtids
  if (!written || !gtids || !isDisconnected(reading)) return false
  return !containsGtids(gtids, written)
}

/** Returns the writer if it was read. */
const primaryOf = ({ members, writer }: View): Member | undefined =>
  members.find((it) => it.name === writer.datasource && readingOf(it) !== undefined)
