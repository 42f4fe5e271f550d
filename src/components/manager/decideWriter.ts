import type { OutsideChange } from '../../contracts/choices.ts'
import type { Policy } from '../../contracts/managerPayloads.ts'
import type { Writer } from '../../contracts/routing.ts'
import { countGtids, missingGtids } from '../databases/gtidSet.ts'
import { rules } from './decideState.ts'
import {
  acknowledgesNothing,
  isClaimant,
  isFollower,
  isOut,
  isPrimary,
  leadsMost,
  leadTo,
  type Member,
  readingOf,
  sourceNames,
  toldGtids,
} from './replicationGraph.ts'

/** The data source that a manager remembers as the writer of a service. */
export type Incumbent = {
  /** Null where the services map names no primary, or several. */
  readonly name: string | null
  /** True if it was seen to be the writer since the manager started and since it was last reached. */
  readonly isConfirmed: boolean
  /** True if a person just named it in the services map: then it needs no confirmation by others. */
  readonly isNamed: boolean
  /** True while the last contradiction of two writers is not settled. */
  readonly isContested: boolean
  /** Data sources that had failed before it had to be confirmed: nobody waits for them. */
  readonly absent: readonly string[]
}

/** Returns an incumbent that has to be confirmed. */
export const unconfirmed = (name: string | null, absent: readonly string[]): Incumbent => ({
  name,
  isConfirmed: false,
  isNamed: false,
  isContested: false,
  absent,
})

/** Returns an incumbent that a person named. */
export const named = (name: string | null): Incumbent => ({ ...unconfirmed(name, []), isNamed: true })

const confirmed = (name: string): Incumbent => ({ ...unconfirmed(name, []), isConfirmed: true })

/** The writer of a service, and what follows for the manager. */
export type WriterDecision = {
  readonly writer: Writer
  readonly incumbent: Incumbent
  /** Name of the data source that has to be FAILED before the writer is written; null for none. */
  readonly fence: string | null
}

/** A switch that holds the clients of a service, or did until its time ran out before it ended. */
export type OpenSwitch = {
  readonly from: string
  readonly to: string
  readonly isInForce: boolean
  /** True if it may have made `to` writable: then it has no way back. */
  readonly mayBePromoted: boolean
}

/** Facts of one service; `members` without its witnesses. */
export type ServiceFacts = {
  readonly service: string
  readonly members: readonly Member[]
  readonly incumbent: Incumbent
  readonly policy: Policy
  readonly onOutsideChange: OutsideChange
  /** Null where none is under way, or the servers have said since who the writer is. */
  readonly openSwitch: OpenSwitch | null
}

/** Returns names as `db1`, `db1 and db2`, `db1, db2 and db3`. */
export function listNames(members: readonly { readonly name: string }[]): string {
  const names = members.map(({ name }) => name)
  const last = names.at(-1) ?? 'none'
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}

const held = (code: NonNullable<Writer['code']>, reason: string): Writer => ({
  datasource: null,
  code,
  reason,
  hold: true,
})
/** Returns that nobody is known to be the writer yet. Without a contradiction, open connections may go on for a while. */
const unknown = (reason: string): Writer => ({ datasource: null, code: null, reason, hold: true })
const refused = (reason: string) => ({ datasource: null, code: null, reason, hold: false }) satisfies Writer
const written = (name: string): Writer => ({ datasource: name, code: null, reason: null, hold: false })

/** Returns that clients wait for a switch. */
export const heldFor = ({ from, to }: Pick<OpenSwitch, 'from' | 'to'>): Writer => ({
  ...unknown(`a switch from ${from} to ${to} is under way`),
  switching: { from, to },
})

/** Returns the writer while nobody checks the servers: the one primary of the map. */
export function unwatchedWriter(
  service: string,
  members: readonly Pick<Member, 'name' | 'role' | 'state'>[],
): Writer {
  const primaries = members.filter(({ role }) => role === 'primary')
  const [first] = primaries
  if (!first) return refused(`the service ${service} has no primary`)
  if (primaries.length > 1) return severalMapped(primaries)
  return first.state === 'ONLINE' ? written(first.name) : notOnline(service, first)
}

const severalMapped = (primaries: readonly { readonly name: string }[]): Writer =>
  held('two-writers', `the services map names several primaries: ${listNames(primaries)}`)

const notOnline = (service: string, { name, state }: Pick<Member, 'name' | 'state'>) =>
  refused(`no primary of service ${service} is ONLINE: ${name} is ${state}`)

const decides = 'shun what is down, or name the primary with tapi map'

/** Decides who is written. Nothing of it waits for a second look, and nothing makes a server the primary. */
export function decideWriter(facts: ServiceFacts): WriterDecision {
  const { service, members, incumbent, openSwitch } = facts
  const own = members.find(({ name }) => name === incumbent.name)
  const claimants = members.filter(isClaimant)
  const candidates = claimants.filter(({ state }) => state !== 'FAILED')
  const others = candidates.filter((it) => it !== own)
  const [other] = others
  const unchanged = (writer: Writer): WriterDecision => ({ writer, incumbent, fence: null })
  const contested = (): WriterDecision => ({
    writer: held(
      'two-writers',
      `${listNames(candidates)} can be written and follow nobody: make all but one of them replicas or read-only, ` +
        'or shun them',
    ),
    incumbent: { ...incumbent, isContested: true },
    fence: null,
  })
  if (openSwitch?.isInForce) {
    // Between the two of a switch, readings of different moments look like two writers.
    const hasRival = candidates.some(({ name }) => name !== openSwitch.from && name !== openSwitch.to)
    if (hasRival && candidates.length > 1) return contested()
    return { writer: heldFor(openSwitch), incumbent: dropConfirmation(facts, own), fence: null }
  }
  if (others.length > 1) return contested()
  if (own !== undefined && candidates.includes(own)) {
    const heir = heirOf(facts, own, claimants)
    if (heir) return { writer: written(heir.name), incumbent: confirmed(heir.name), fence: own.name }
    if (other !== undefined) return takeOver(facts, own, other) ?? contested()
    if (incumbent.isConfirmed)
      return { writer: written(own.name), incumbent: confirmed(own.name), fence: null }
    const doubt = doubtOf(facts, own)
    return doubt
      ? unchanged(doubt)
      : { writer: written(own.name), incumbent: confirmed(own.name), fence: null }
  }
  const after = { ...facts, incumbent: dropConfirmation(facts, own) }
  if (own !== undefined && other !== undefined && isSwitched(after, own, other)) {
    return { writer: written(other.name), incumbent: confirmed(other.name), fence: null }
  }
  if (other !== undefined) return adopt(after, own, other)
  const writer =
    own === undefined ? withoutPrimary(service, members) : withoutCandidate(after, own, claimants)
  return { writer, incumbent: after.incumbent, fence: null }
}

/** Returns the incumbent unconfirmed once it was not reached for so long that somebody may have replaced it. */
function dropConfirmation({ incumbent, members }: ServiceFacts, own: Member | undefined): Incumbent {
  if (own?.look.kind !== 'failed') return incumbent
  if (own.state === 'ONLINE' && own.failures < rules.fence) return incumbent
  if (!incumbent.isConfirmed && !incumbent.isNamed) return incumbent
  const absent = members.filter((it) => it.state === 'FAILED' && it !== own).map(({ name }) => name)
  return { ...unconfirmed(own.name, absent), isContested: incumbent.isContested }
}

function withoutPrimary(service: string, members: readonly Member[]): Writer {
  const primaries = members.filter(({ role }) => role === 'primary')
  return primaries.length > 1 ? severalMapped(primaries) : refused(`the service ${service} has no primary`)
}

/** Returns the replicas that were read and do not follow a member as far as is known; those that are out say nothing. */
const followersOfOthers = (target: Member, members: readonly Member[]): readonly Member[] =>
  members.filter((it) => {
    const channels = readingOf(it)?.channels ?? []
    return it !== target && !isOut(it) && channels.length > 0 && leadTo(target, channels, members) !== 'yes'
  })

/** Returns the sentence of a replica that follows somebody else. */
function contraryWords(replica: Member, members: readonly Member[]): string {
  return `${replica.name} follows ${sourceNames(readingOf(replica)?.channels ?? [], members)}`
}

/**
 * Returns true where a switch that did not end made the other one the primary. It set the old one read-only and recorded
 * the step before, so nobody else needs to follow the new one yet.
 */
function isSwitched({ members, openSwitch }: ServiceFacts, own: Member, other: Member): boolean {
  if (own.name !== openSwitch?.from || other.name !== openSwitch.to) return false
  if (members.some((it) => it !== other && isClaimant(it))) return false
  if (members.some((it) => it.look.kind === 'unread' && !isOut(it))) return false
  const reading = readingOf(own)
  if (isOut(own) || (reading !== undefined && !isPrimary(reading))) return true
  const isLost = own.look.kind === 'failed' && (own.state === 'FAILED' || own.failures >= rules.fence)
  return openSwitch.mayBePromoted && isLost
}

/** Returns that a switch may have made a member the primary, while nothing says whether it did; undefined otherwise. */
function doubtOfSwitch({ members, incumbent, openSwitch }: ServiceFacts, own: Member): Writer | undefined {
  if (!openSwitch?.mayBePromoted || openSwitch.from !== own.name || incumbent.isNamed) return undefined
  const target = members.find(({ name }) => name === openSwitch.to)
  if (!target || isOut(target) || readingOf(target)) return undefined
  const { name } = target
  return unknown(
    `a switch from ${own.name} to ${name} did not end, and ${name} cannot be checked: make the switch again, or shun ${name}`,
  )
}

/** Returns why a candidate is not confirmed; undefined if it is. */
function doubtOf(facts: ServiceFacts, own: Member): Writer | undefined {
  const { members, incumbent } = facts
  if (incumbent.isNamed) return undefined
  const doubt = doubtOfSwitch(facts, own)
  if (doubt) return doubt
  const rivals = members.filter((it) => it !== own && isClaimant(it))
  // One that failed is a rival as long as nobody says which of them is the primary.
  if (rivals.length > 0 && !members.some((it) => isFollower(it, own, members))) {
    const all = listNames([own, ...rivals])
    return held('two-writers', `${all} can be written and follow nobody: shun those that are not the primary`)
  }
  const inUse = members.filter((it) => !isOut(it))
  const unread = inUse.filter(({ look }) => look.kind === 'unread')
  if (unread.length > 0) return unknown(`not checked yet: ${listNames(unread)}`)
  const [contrary] = followersOfOthers(own, members)
  if (contrary) {
    const words = contraryWords(contrary, members)
    return held('no-writer', `${own.name} can be written, but ${words}: ${decides}`)
  }
  const counted = inUse.filter(({ name }) => !incumbent.absent.includes(name))
  const blind = counted.filter((it) => readingOf(it) === undefined)
  if (blind.length * 2 < counted.length) return undefined
  return unknown(
    `${own.name} is not known to be still the primary, since ${listNames(blind)} cannot be checked: ${decides}`,
  )
}

/** Returns the writer where no server can be. */
function withoutCandidate(facts: ServiceFacts, own: Member, claimants: readonly Member[]): Writer {
  const { service, members, incumbent, policy } = facts
  const { name, look, known, state } = own
  if (isOut(own)) return notOnline(service, own)
  if (look.kind === 'answered') {
    const { channels } = look.reading
    if (channels.length > 0) return held('no-writer', `${name} follows ${sourceNames(channels, members)}`)
    if (!look.reading.isWritable) return held('read-only-primary', `${name} is read-only`)
    const back = notOnline(service, own)
    // It came back and calls itself the primary, as another one does: its own check says so.
    if (claimants.length > 1) return held('two-writers', back.reason)
    // Under AUTOMATIC it is ONLINE after two good checks.
    return { ...back, hold: policy === 'AUTOMATIC' }
  }
  // Somebody may be about to replace it, or it comes back: for as long as one client waits at all.
  if (state === 'FAILED') return { ...notOnline(service, own), hold: true }
  if (look.kind === 'unread') return unknown(`not checked yet: ${name}`)
  if (known !== null && !isPrimary(known)) {
    return held('no-writer', `${name} cannot be checked, and was no primary when it could`)
  }
  const doubt = doubtOfSwitch(facts, own)
  if (doubt) return doubt
  const [contrary] = incumbent.isConfirmed || incumbent.isNamed ? [] : followersOfOthers(own, members)
  if (!contrary) return written(name)
  return held('no-writer', `${name} cannot be checked, and ${contraryWords(contrary, members)}: ${decides}`)
}

/** Returns the members whose word counts for a new primary: those that were read, but for itself and the old one. */
const witnessesOf = (
  target: Member,
  own: Member | undefined,
  members: readonly Member[],
): readonly Member[] =>
  members.filter((it) => {
    const reading = readingOf(it)
    if (!reading || it === target || isOut(it)) return false
    if (it === own) return reading.channels.length > 0
    // A replica that failed and follows nobody says nothing.
    return it.state !== 'FAILED' || reading.channels.length > 0 || isClaimant(it)
  })

/** Counts those who follow a member; undefined where one of those that were read does not, or one was not looked at yet. */
function followersOf(
  target: Member,
  own: Member | undefined,
  members: readonly Member[],
): number | undefined {
  if (members.some((it) => it.look.kind === 'unread' && !isOut(it))) return undefined
  const asked = witnessesOf(target, own, members)
  const all = asked.every((it) => leadTo(target, readingOf(it)?.channels ?? [], members) === 'yes')
  return all ? asked.length : undefined
}

const mayFollow = ({ onOutsideChange, policy }: ServiceFacts): boolean =>
  onOutsideChange === 'follow' && policy !== 'MAINTENANCE'

/**
 * Returns the decision for an incumbent that came back after another one took its place: it was not confirmed since, and
 * everybody follows the other one. Undefined where that is not so.
 */
function takeOver(facts: ServiceFacts, own: Member, other: Member): WriterDecision | undefined {
  const { incumbent, members } = facts
  if (incumbent.isConfirmed || incumbent.isNamed || !mayFollow(facts)) return undefined
  if ((followersOf(other, own, members) ?? 0) === 0) return undefined
  return { writer: written(other.name), incumbent: confirmed(other.name), fence: own.name }
}

/**
 * Returns the one that took the place of the incumbent while this manager could not reach it: nobody follows the incumbent, and
 * the other one has all that the incumbent can have acknowledged; or it failed here, and more than half of all members are it
 * or lead to it. Undefined where that is not so.
 */
function heirOf(facts: ServiceFacts, own: Member, claimants: readonly Member[]): Member | undefined {
  const { incumbent, members } = facts
  const rivals = claimants.filter((it) => it !== own)
  const [heir] = rivals
  if (!heir || rivals.length > 1 || incumbent.isNamed || !mayFollow(facts)) return undefined
  if (members.some((it) => isFollower(it, own, members))) return undefined
  const isShown = heir.state === 'FAILED' && leadsMost(heir, members, members)
  return isShown || hasAllAcknowledged(heir, own) ? heir : undefined
}

/** Returns true where a primary waits for replicas that it does not have, and another one, which does not, has all but what waits there. */
function hasAllAcknowledged(heir: Member, own: Member): boolean {
  const [its, reading] = [readingOf(heir), readingOf(own)]
  if (!its || !reading || acknowledgesNothing(its) || !acknowledgesNothing(reading)) return false
  return lackedBy(heir, own) === 0
}

/** Decides where exactly one server can be written, and it is not the incumbent. */
function adopt(facts: ServiceFacts, own: Member | undefined, other: Member): WriterDecision {
  const { members, incumbent, policy } = facts
  const hold = (why: string): WriterDecision => ({
    writer: held('no-writer', `${other.name} can be written and follows nobody, but ${why}`),
    incumbent,
    fence: null,
  })
  if (own && !isReplaced(own)) return hold(`${own.name} is not known to be no primary any more`)
  const followers = followersOf(other, own, members)
  if (followers === undefined) {
    const asked = witnessesOf(other, own, members)
    const [not] = asked.filter((it) => leadTo(other, readingOf(it)?.channels ?? [], members) !== 'yes')
    return hold(not ? `${not.name} does not follow it` : 'not all data sources are checked yet')
  }
  const reading = readingOf(other)
  const isVain = own && followers === 0 && reading && acknowledgesNothing(reading)
  const missing = isVain ? lackedBy(other, own) : 0
  if (missing > 0)
    return hold(`it waits for replicas, and lacks what ${own?.name} has: ${missing} transactions`)
  if (incumbent.isContested && followers === 0) {
    return hold(`${own?.name ?? 'another one'} could be written, too: name the primary with tapi map`)
  }
  if (facts.onOutsideChange === 'hold') {
    return hold(
      'on-outside-change is hold: name it as the primary with tapi map, or make the former one writable again',
    )
  }
  if (policy === 'MAINTENANCE') return hold('the policy is MAINTENANCE: name it as the primary with tapi map')
  return { writer: written(other.name), incumbent: confirmed(other.name), fence: null }
}

/** Returns how many transactions another server lacks that the incumbent had told when it was read last; 0 where nobody can know. */
function lackedBy(other: Member, own: Member): number {
  const [its, told] = [readingOf(other)?.gtids, own.known && toldGtids(own.known)]
  return its && told ? countGtids(missingGtids(told, its)) : 0
}

/** Returns true for an incumbent that is known to take no writes. */
const isReplaced = (own: Member): boolean =>
  isOut(own) || own.state === 'FAILED' || (readingOf(own) !== undefined && !isClaimant(own))
