import type { SwitchRefusal } from '../../../contracts/managerPayloads.ts'
import { countGtids, countText, type GtidSet, gtidText, missingGtids } from '../../databases/gtidSet.ts'
import type { Observation } from '../checkResult.ts'
import { promotable, standbyLast } from '../decideFailover.ts'
import {
  errantGtids,
  hasLostOwn,
  isClaimant,
  isOut,
  leadTo,
  readingOf,
  receivedBy,
  sourceNames,
} from '../replicationGraph.ts'
import {
  directFollowers,
  followsLater,
  ofChannels,
  ofLogs,
  ofOmissions,
  ofPrivileges,
  type PlanFacts,
  refusal,
  type SwitchMember,
  type SwitchPlan,
  switchReadingOf,
} from './planSwitch.ts'

export type FailoverFacts = Pick<PlanFacts, 'service' | 'members' | 'wanted' | 'accepted' | 'grants'> & {
  /** Name of the writer that this manager remembers; null for none. */
  readonly primary: string | null
  /** A check of it by the account of the monitor; null where none is made. */
  readonly check: Observation | null
}

/** Has what a data source applied or received, and so can have once its primary is gone. */
type Survivor = { readonly member: SwitchMember; readonly has: GtidSet | null }

/**
 * Plans a failover without changing anything: the survivor that has all transactions of all survivors takes the place of
 * a primary that is lost. Each survivor has to be read, since it may be the only one that has what a client was told is
 * safe.
 */
export function planFailover(facts: FailoverFacts): SwitchPlan {
  const { service, wanted } = facts
  const members = facts.members.filter(({ role }) => role !== 'witness')
  const from = members.find(({ name }) => name === facts.primary)
  const none = { service, from: from?.name ?? null, to: null, loss: null, followers: [], remarks: [] }
  if (!from) {
    const reason = 'It is not known which data source was the primary.'
    return { ...none, refusals: [refusal(null, reason, 'Name it in the services map, with tapi map.')] }
  }
  const inUse = members.filter((it) => it !== from && !isOut(it))
  const general = [...ofLost(from, members, facts), ...inUse.flatMap((it) => ofSurvivor(it, from, facts))]
  // The lost one itself has what it has, where it is read.
  const survivors = [...inUse, from].map((member): Survivor => ({ member, has: receivedBy(member) }))
  const candidates = survivors
    .filter(({ member }) => member !== from && promotable.has(member.role) && readingOf(member))
    .map((it) => ({
      ...it,
      refusals: [...ofCandidate(it.member, from, { ...facts, members }), ...ofMissing(it, survivors)],
    }))
  const named = candidates.find(({ member }) => member.name === wanted)
  if (wanted !== undefined && !named) {
    const known = members.find(({ name }) => name === wanted)
    const why = known ? 'It cannot be the primary now.' : 'The service has no data source of that name.'
    return { ...none, refusals: [refusal(wanted, why, 'tapi service status lists them.'), ...general] }
  }
  const [best] = named
    ? [named]
    : candidates
        .filter(({ refusals }) => refusals.length === 0)
        .toSorted((a, b) => standbyLast(a.member, b.member) || unapplied(a) - unapplied(b))
  if (!best) {
    const why =
      candidates.length > 0
        ? candidates.flatMap(({ refusals }) => refusals)
        : [refusal(null, 'The service has no other data source that could be the primary.', null)]
    return { ...none, refusals: [...why, ...general] }
  }
  const to = best.member
  const left = members.filter((it) => it === from || readingOf(it) === undefined)
  return {
    ...none,
    to: to.name,
    loss: lossOf(from, best),
    refusals: [...best.refusals, ...general],
    followers: directFollowers(members, [from, to]).flatMap(({ name }) => (name === from.name ? [] : [name])),
    remarks: left.map((it) =>
      readingOf(it)
        ? `${it.name} lost what ${to.name} has: its manager lets it follow ${to.name}.`
        : followsLater(it.name, to.name),
    ),
  }
}

/** Returns how many transactions a survivor has received and not applied. */
function unapplied({ member, has }: Survivor): number {
  const gtids = switchReadingOf(member)?.gtids
  return has && gtids ? countGtids(missingGtids(has, gtids)) : 0
}

/** Evaluates the primary, which must not answer anybody, or lack what another one has. */
function ofLost(
  from: SwitchMember,
  members: readonly SwitchMember[],
  { check }: Pick<FailoverFacts, 'check'>,
): readonly SwitchRefusal[] {
  const { name, look } = from
  if (look.kind === 'failed') {
    if (check === null || check.kind === 'failed') return []
    return [
      refusal(
        name,
        `A check of the manager reached it, and this call did not: ${look.error.message}`,
        'Repeat the failover.',
      ),
    ]
  }
  if (look.kind === 'answered') {
    const { isWritable, channels } = look.reading
    if (channels.length > 0) {
      return [refusal(name, 'It answers, and follows another server.', 'Name the primary with tapi map.')]
    }
    if (hasLostOwn(from, members)) return []
    return isWritable
      ? [refusal(name, 'It answers, and can be written: it is not lost.', 'Use tapi switch.')]
      : [
          refusal(
            name,
            'It answers, and is read-only: it is not lost.',
            'Make it writable again (SET GLOBAL read_only = 0), or stop it for good and repeat the failover.',
          ),
        ]
  }
  const why = look.kind === 'unable' ? look.error.message : 'It was not read.'
  return [refusal(name, `It may be alive: ${why}`, 'Stop it, and repeat the failover.')]
}

/** Evaluates what every survivor has to fulfil. */
function ofSurvivor(
  member: SwitchMember,
  from: SwitchMember,
  facts: Pick<PlanFacts, 'grants'>,
): readonly SwitchRefusal[] {
  const { name, look } = member
  const takeOut = 'take it out with tapi datasource shun'
  const reading = switchReadingOf(member)
  if (!reading) {
    const why = 'error' in look ? look.error.message : 'It was not read.'
    const reason = `It cannot be reached, and may have transactions that no other server has: ${why}`
    return [refusal(name, reason, `Repair it, or ${takeOut}.`)]
  }
  // What came after its last reading is its own; once it is back, others may have what it lost.
  const errant = from.look.kind === 'answered' ? undefined : from.known && errantGtids(reading, from.known)
  return [
    ...ofPrivileges(member, facts),
    ...ofChannels(member),
    ...(isClaimant(member)
      ? [refusal(name, 'It can be written and follows nobody.', `Name it with tapi map, or ${takeOut}.`)]
      : []),
    ...(errant
      ? [
          refusal(
            name,
            `It has transactions that ${from.name} did not have: ${gtidText(errant)}.`,
            `Compare its data, then ${takeOut}.`,
          ),
        ]
      : []),
  ]
}

/** Evaluates the data source that becomes the primary, but for its transactions. */
function ofCandidate(
  target: SwitchMember,
  from: SwitchMember,
  { members, accepted }: Pick<PlanFacts, 'members' | 'accepted'>,
): readonly SwitchRefusal[] {
  const { name, state } = target
  const reading = switchReadingOf(target)
  if (!reading) return []
  const found: SwitchRefusal[] = []
  const add = (reason: string, fix: string | null): void => void found.push(refusal(name, reason, fix))
  const [channel] = reading.channels
  if (!channel) add('It follows nobody.', `Let it follow another survivor, or take it out.`)
  else if (leadTo(from, [channel], members, () => false) !== 'yes') {
    add(`It follows ${sourceNames([channel], members)}, not ${from.name}.`, null)
  } else if (channel.applier === 'stopped') {
    const error = channel.applierError ? `: ${channel.applierError.message}` : '.'
    add(`It does not apply what it received${error}`, 'Start it with tapi --component replicator online.')
  } else if (channel.delay > 0) {
    add(`It applies ${channel.delay} s later on purpose.`, 'Name another one.')
  }
  if (isOut({ state })) add(`It is ${state}.`, 'Bring it back online first.')
  return [...found, ...ofOmissions(name, reading.omissions, accepted), ...ofLogs(name, reading)]
}

/** Evaluates what other survivors have that a candidate lacks: they could not follow it. */
const ofMissing = ({ member, has }: Survivor, survivors: readonly Survivor[]): readonly SwitchRefusal[] =>
  survivors.flatMap(({ member: other, has: its }) => {
    if (other === member || !has || !its) return []
    const missing = missingGtids(its, has)
    if (missing.ranges.size === 0) return []
    return [
      refusal(
        member.name,
        `It lacks ${countText(missing)} that ${other.name} has: ${gtidText(missing)}.`,
        `Fail over to ${other.name}, or take ${other.name} out with tapi datasource shun.`,
      ),
    ]
  })

/** Returns what is known to be lost, and what nobody can know. */
function lossOf(from: SwitchMember, { member, has }: Survivor): string {
  const told = from.known?.gtids
  if (!told || !has) {
    return `It is unknown what is lost: no transactions of ${from.name} were read. Lost is what no survivor received.`
  }
  const missing = missingGtids(told, has)
  const later = `What ${from.name} committed after its last check is lost where no survivor received it.`
  return missing.ranges.size === 0
    ? `${member.name} has all that ${from.name} told at its last check. ${later}`
    : `Lost: ${countText(missing)} that ${from.name} told and no survivor has (${gtidText(missing)}). ${later}`
}
