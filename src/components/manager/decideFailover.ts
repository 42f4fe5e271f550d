import type { Policy } from '../../contracts/managerPayloads.ts'
import type { DataSourceRole } from '../../contracts/servicesMap.ts'
import { gtidText, missingGtids, uniteGtids } from '../databases/gtidSet.ts'
import { startTolerance } from './decideOwnServer.ts'
import type { Incumbent, OpenSwitch } from './decideWriter.ts'
import {
  acknowledges,
  hasLostOwn,
  isOut,
  isPrimary,
  type Member,
  readingOf,
  receivedBy,
  toldGtids,
} from './replicationGraph.ts'

/** Roles of the services map that a data source needs to become the primary. */
export const promotable: ReadonlySet<DataSourceRole> = new Set(['primary', 'replica', 'standby'])

/** Orders data sources that could be the primary: a standby is taken last. */
export const standbyLast = (a: Pick<Member, 'role'>, b: Pick<Member, 'role'>): number =>
  Number(a.role === 'standby') - Number(b.role === 'standby')

/** Action of the managers about a primary that is lost. */
export type FailoverDecision = {
  /** Why they leave it to a person, as sentences; none where nothing that was acknowledged can be lost. */
  readonly reasons: readonly string[]
  /** Name of the primary that is lost now; null for none. */
  readonly lost: string | null
  /** Names of those that may take its place, in the order in which their managers try. */
  readonly candidates: readonly string[]
}

/**
 * Decides whether the managers replace a lost primary without a person: only where the loss of nothing that a client was told
 * is safe can be excluded. The primary acknowledges a commit only once one of its semi-synchronous replicas has it; so whoever
 * has heard all of them, after each left it, has all that was ever acknowledged, and it can acknowledge nothing more. That
 * holds for any partition of the network, and needs no vote. One that is back, but lost what another one has, takes no writes:
 * where all are read, whoever has everything takes its place.
 */
export function decideFailover(facts: {
  readonly members: readonly Member[]
  readonly incumbent: Pick<Incumbent, 'name'>
  readonly policy: Policy
  /** False for a manager without the account that changes servers. */
  readonly canChange: boolean
  readonly openSwitch: OpenSwitch | null
  /** Servers outside the service that acknowledged commits of the primary at its last reading; see `countStrangers`. */
  readonly strangers: number
}): FailoverDecision {
  const { incumbent, policy, canChange, openSwitch, strangers } = facts
  const members = facts.members.filter(({ role }) => role !== 'witness')
  const primary = members.find(({ name }) => name === incumbent.name)
  if (!primary) return { reasons: ['It is not known who the primary is.'], lost: null, candidates: [] }
  const others = members.filter((it) => it !== primary)
  const candidates = others.filter((it) => promotable.has(it.role) && !isOut(it)).toSorted(standbyLast)
  const isBehind = hasLostOwn(primary, others)
  const reasons = [
    policy === 'AUTOMATIC' ? [] : `The policy is ${policy}.`,
    canChange ? [] : 'The manager changes no server: replication-user is not set.',
    openSwitch === null ? [] : `A switch from ${openSwitch.from} to ${openSwitch.to} did not end.`,
    candidates.length > 0 ? [] : 'No other data source could be the primary.',
    isBehind ? [] : ofPrimary(primary, strangers),
    ...others.map(ofOther(primary)),
    primary.look.kind === 'failed' ? ofAcknowledged(primary, others) : [],
  ].flat()
  const isLost = primary.state === 'FAILED' && (primary.look.kind === 'failed' || isBehind)
  return {
    reasons,
    lost: isLost ? primary.name : null,
    candidates: candidates.map(({ name }) => name),
  }
}

/** Evaluates the primary by its last reading, however long ago. */
function ofPrimary({ name, known }: Member, strangers: number): string[] {
  if (known === null) return [`${name} was not read since this manager was started.`]
  if (!isPrimary(known)) return [`${name} was no primary when it was read last.`]
  const { ackGaps, ackers } = known
  if (ackGaps.length > 0) {
    return [`${name} may acknowledge what no other server has; it needs ${ackGaps.join(', ')}.`]
  }
  if (ackers === null) return [`${name} waits for no replica now, and acknowledges what no other server has.`]
  if (strangers === 0) return []
  return [`Servers outside the service acknowledge the commits of ${name}: ${strangers}.`]
}

/**
 * Evaluates whether the others still have what they acknowledged to a primary that is lost: a crash of one of them may have cost
 * it that, until it had fetched it again. While the primary writes, others are read too early to have all of it.
 */
function ofAcknowledged({ name, known, readAt }: Member, others: readonly Member[]): string[] {
  const told = known && toldGtids(known)
  const missing = told && missingGtids(told, uniteGtids(others.flatMap((it) => receivedBy(it) ?? [])))
  const isMissed = missing !== null && missing.ranges.size > 0
  const started = others.filter((it) => {
    const uptime = readingOf(it)?.uptime
    if (uptime == null || it.readAt == null || readAt == null) return false
    return it.readAt - uptime * 1000 > readAt - startTolerance
  })
  return [
    isMissed ? [`${name} told ${gtidText(missing)}, which no other server has any more.`] : [],
    started.map(
      (it) => `${it.name} was started after ${name} was read last, and may have lost what it acknowledged.`,
    ),
  ].flat()
}

/**
 * Counts the servers outside a service that acknowledge the commits of its primary. To be counted with each reading of the
 * primary: once it is lost, the members do not say any more who did.
 */
export function countStrangers(primary: Member, members: readonly Member[]): number {
  const ackers = readingOf(primary)?.ackers ?? 0
  const own = members.filter(({ known }) => known !== null && acknowledges(known, primary, members))
  return Math.max(0, ackers - own.length)
}

/** Evaluates another data source, also one that a person took out: it may be the only one that has what was acknowledged. */
const ofOther =
  ({ name: primary }: Member) =>
  (it: Member): string[] => {
    const reading = readingOf(it)
    if (it.known === null) return [`${it.name} was not read since this manager was started.`]
    if (!reading) return [`${it.name} cannot be reached, and may have what no other server has.`]
    return isOut(it) && reading.semiSync.replica
      ? [`${it.name} is ${it.state}, and acknowledges the commits of ${primary}.`]
      : []
  }
