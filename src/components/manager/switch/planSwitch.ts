import type { AcceptableReason } from '../../../contracts/choices.ts'
import type { SwitchPlanPayload, SwitchRefusal } from '../../../contracts/managerPayloads.ts'
import type { Writer } from '../../../contracts/routing.ts'
import { gtidText } from '../../databases/gtidSet.ts'
import type { Omission } from '../../databases/omissions.ts'
import { beforeLogin, type Session } from '../../databases/sessions.ts'
import type { SwitchReading } from '../../databases/switchServer.ts'
import { promotable, standbyLast } from '../decideFailover.ts'
import {
  errantGtids,
  followsStrangers,
  isClaimant,
  isOut,
  isPrimary,
  leadTo,
  type Member,
  readingOf,
  sourceNames,
} from '../replicationGraph.ts'

/** A data source that a switch has just read. */
export type SwitchMember = Member & {
  readonly look:
    | { readonly kind: 'answered'; readonly reading: SwitchReading }
    | Exclude<Member['look'], { kind: 'answered' }>
}

/** Limits of a switch in milliseconds, by the options `switch-max-lag` and `switch-max-transaction`. */
export type SwitchLimits = { readonly maxLag: number; readonly maxTransaction: number }

/** A plan, and what becomes of the data sources that are neither the old nor the new primary. */
export type SwitchPlan = SwitchPlanPayload & {
  /** Names of those that will follow the new primary. */
  readonly followers: readonly string[]
  readonly remarks: readonly string[]
}

export type PlanFacts = {
  readonly service: string
  readonly members: readonly SwitchMember[]
  /** The writer that this manager knows. */
  readonly writer: Writer
  /** The data source that is asked for; undefined for the one that is the least behind. */
  readonly wanted: string | undefined
  /** Sessions of the present primary. */
  readonly sessions: readonly Session[]
  readonly limits: SwitchLimits
  /** Reasons that the operator accepts. */
  readonly accepted: ReadonlySet<string>
  /** Returns the SQL that grants what the account of a switch needs. */
  readonly grants: (version: string) => string
  /** SQL by which that account may stop the event scheduler. */
  readonly eventsGrant: string
}

export const switchReadingOf = ({ look }: SwitchMember): SwitchReading | undefined =>
  look.kind === 'answered' ? look.reading : undefined

const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 100) / 10} s`

/** Plans a switch without changing anything. */
export function planSwitch(facts: PlanFacts): SwitchPlan {
  const { service, writer, wanted } = facts
  const members = facts.members.filter(({ role }) => role !== 'witness')
  const from = members.find(({ name }) => name === writer.datasource)
  const none = { service, from: from?.name ?? null, loss: null, followers: [], remarks: [] }
  if (!from) {
    const reason = `The service has no primary that clients write to: ${writer.reason ?? 'nobody knows why'}.`
    const fix = 'If the primary is lost, use tapi failover; muster explain no-writer tells more.'
    return { ...none, to: null, refusals: [refusal(null, reason, fix)] }
  }
  const general = [...ofPrimary(from, facts), ...members.flatMap((it) => ofMember(it, from, facts))]
  // They could not follow the new primary.
  const errantBut = (target: SwitchMember | undefined): readonly SwitchRefusal[] =>
    members.filter((it) => it !== target && !isOut(it)).flatMap((it) => ofErrant(it, from))
  if (wanted !== undefined) {
    const target = facts.members.find(({ name }) => name === wanted)
    const own = target
      ? ofTarget(target, from, { ...facts, members })
      : [refusal(wanted, 'The service has no data source of that name.', 'tapi topology lists them.')]
    const plan = { ...none, to: target?.name ?? null, refusals: [...own, ...general, ...errantBut(target)] }
    return target ? { ...plan, ...restOf(target, from, members) } : plan
  }
  const candidates = members
    .filter((it) => it !== from && promotable.has(it.role))
    .map((it) => ({ it, refusals: ofTarget(it, from, { ...facts, members }), lag: lagOf(it) ?? 0 }))
  const [best] = candidates
    .filter(({ refusals }) => refusals.length === 0)
    .toSorted((a, b) => standbyLast(a.it, b.it) || a.lag - b.lag)
  if (best) {
    const refusals = [...general, ...errantBut(best.it)]
    return { ...none, to: best.it.name, refusals, ...restOf(best.it, from, members) }
  }
  const why =
    candidates.length > 0
      ? candidates.flatMap(({ refusals }) => refusals)
      : [refusal(null, 'The service has no other data source that could be the primary.', null)]
  return { ...none, to: null, refusals: [...why, ...general] }
}

export const refusal = (datasource: string | null, reason: string, fix: string | null): SwitchRefusal => ({
  datasource,
  reason,
  fix,
})

/** Seconds that a replica is behind; null while nobody can say. */
function lagOf(member: SwitchMember): number | null {
  const lags = (readingOf(member)?.channels ?? []).map(({ secondsBehind }) => secondsBehind)
  return lags.includes(null) ? null : Math.max(0, ...lags.map((it) => it ?? 0))
}

/** Evaluates the present primary. */
function ofPrimary(
  from: SwitchMember,
  { members, sessions, limits, accepted, eventsGrant }: PlanFacts,
): readonly SwitchRefusal[] {
  const reading = switchReadingOf(from)
  if (!reading) return []
  // What the managers know of it may be a second old.
  const contradiction = isPrimary(reading)
    ? []
    : [
        refusal(
          from.name,
          reading.channels.length > 0
            ? `It follows ${sourceNames(reading.channels, members)}, as no primary does.`
            : 'It is read-only, as no primary is.',
          'muster explain no-writer tells what to do.',
        ),
      ]
  const long = sessions.filter(
    ({ isIdle, transaction, milliseconds, user }) =>
      !isIdle && transaction === null && milliseconds > limits.maxTransaction && user !== beforeLogin,
  )
  const old = sessions.filter(({ transaction }) => (transaction?.seconds ?? 0) * 1000 > limits.maxTransaction)
  const statements = long
    .slice(0, 10)
    .map(({ id, user, milliseconds }) =>
      refusal(
        from.name,
        `A statement of user ${user} (thread ${id}) runs for ${seconds(milliseconds)}, longer than ` +
          `switch-max-transaction (${seconds(limits.maxTransaction)}).`,
        `Let it end, or run KILL ${id} there.`,
      ),
    )
  const events =
    !reading.runsEvents || reading.canStopEvents || accepted.has('events')
      ? []
      : [
          refusal(
            from.name,
            'Its event scheduler runs, and the replication-user may not stop it: events of accounts with READ ONLY ADMIN or SUPER would write to it after the switch.',
            `Run ${eventsGrant} there, and the switch takes the event scheduler along; or run SET GLOBAL event_scheduler = OFF there, and switch it on at the new primary afterwards; ${acceptBy('events')}.`,
          ),
        ]
  const logged = reading.omissions.filter(({ reason }) => reason === 'binary-log-filter')
  const transactions = old
    .slice(0, 10)
    .map(({ id, user, transaction }) =>
      refusal(
        from.name,
        `A transaction of user ${user} (thread ${id}) is open for ${transaction?.seconds} s, longer than ` +
          `switch-max-transaction (${seconds(limits.maxTransaction)}).`,
        `Let it end, or run KILL ${id} there.`,
      ),
    )
  return [
    ...contradiction,
    ...transactions,
    ...statements,
    ...events,
    ...ofOmissions(from.name, logged, accepted),
  ]
}

const acceptBy = (reason: AcceptableReason): string => `or accept it with --accept ${reason}`

/** Effect of a setting, and the fix. */
const omissionWords: Readonly<Record<Exclude<AcceptableReason, 'events'>, readonly [string, string]>> = {
  filter: ['Its replication leaves something out', 'Remove the setting, and make it anew from a backup'],
  'binary-log-filter': [
    'Its binary log leaves something out that servers which follow it would lack',
    'Remove the setting from its configuration, and restart it',
  ],
  'skipped-errors': [
    'Its replication skips errors, so it may lack changes',
    'Switch that off, and compare its data with that of the primary',
  ],
  idempotent: [
    'Its replication overlooks rows that are missing or there twice',
    'Set it to STRICT, and compare its data with that of the primary',
  ],
}

/** Evaluates what a server leaves out, but for what the operator accepts. */
export const ofOmissions = (
  name: string,
  omissions: readonly Omission[],
  accepted: ReadonlySet<string>,
): readonly SwitchRefusal[] =>
  omissions.flatMap(({ reason, setting }) => {
    if (reason === 'events' || accepted.has(reason)) return []
    const [what, fix] = omissionWords[reason]
    return [refusal(name, `${what}: ${setting}.`, `${fix}; ${acceptBy(reason)}.`)]
  })

/** Evaluates the transactions that a server has and the primary has not. */
function ofErrant(member: SwitchMember, from: SwitchMember): readonly SwitchRefusal[] {
  const [reading, source] = [switchReadingOf(member), switchReadingOf(from)]
  const errant = member !== from && reading && source && errantGtids(reading, source)
  if (!errant) return []
  const reason = `It has transactions that ${from.name} does not have: ${gtidText(errant)}.`
  return [
    refusal(
      member.name,
      reason,
      `Make it anew from a backup of the primary (muster provision ${member.name}).`,
    ),
  ]
}

/** Evaluates what every member has to fulfil. */
function ofMember(member: SwitchMember, from: SwitchMember, facts: PlanFacts): readonly SwitchRefusal[] {
  const { name, look, state } = member
  const reading = switchReadingOf(member)
  if (!reading) {
    // One that is known to be out may follow later.
    if (member !== from && state !== 'ONLINE') return []
    const why = 'error' in look ? look.error.message : 'It was not read.'
    return [
      refusal(name, `It cannot be reached: ${why}`, `Repair it, or take it out with tapi datasource shun.`),
    ]
  }
  const found = [...ofPrivileges(member, facts)]
  if (member !== from && isClaimant(member)) {
    const reason = `It can be written and follows nobody, as ${from.name} does: two writers.`
    found.push(refusal(name, reason, 'Make it a replica, or take it out with tapi datasource shun.'))
  }
  return [...found, ...ofChannels(member)]
}

/** Evaluates the rights of the account on a server. */
export function ofPrivileges(
  member: SwitchMember,
  { grants }: Pick<PlanFacts, 'grants'>,
): readonly SwitchRefusal[] {
  const { missingPrivileges = [], version = '' } = switchReadingOf(member) ?? {}
  if (missingPrivileges.length === 0) return []
  const reason = `The replication-user lacks privileges there: ${missingPrivileges.join(', ')}.`
  return [refusal(member.name, reason, grants(version))]
}

/** Evaluates the sources of a server: it will follow one. */
export const ofChannels = (member: SwitchMember): readonly SwitchRefusal[] =>
  (readingOf(member)?.channels.length ?? 0) < 2
    ? []
    : [
        refusal(
          member.name,
          'It follows several servers, and would lose all but the primary.',
          'Remove the other channels.',
        ),
      ]

/** Evaluates the data source that becomes the primary. */
function ofTarget(target: SwitchMember, from: SwitchMember, facts: PlanFacts): readonly SwitchRefusal[] {
  const { name, role, state } = target
  const { limits, members } = facts
  if (target === from) return [refusal(name, 'It is the primary already.', null)]
  if (!promotable.has(role)) {
    return [refusal(name, `Its role in the services map is ${role}.`, 'Name a replica, or change the map.')]
  }
  const reading = switchReadingOf(target)
  if (!reading)
    return state === 'ONLINE' ? [] : [refusal(name, `It is ${state} and cannot be reached.`, null)]
  const found: SwitchRefusal[] = []
  const add = (reason: string, fix: string | null): void => void found.push(refusal(name, reason, fix))
  if (state !== 'ONLINE') add(`It is ${state}.`, 'Bring it back online first.')
  const [channel] = reading.channels
  if (!channel) add('It follows nobody.', `Let it follow ${from.name}.`)
  else if (followsStrangers([channel], members) || leadTo(from, [channel], members, () => false) !== 'yes') {
    add(`It follows ${sourceNames([channel], members)}, not ${from.name}.`, `Let it follow ${from.name}.`)
  } else if (channel.applier === 'stopped' || channel.receiver !== 'running') {
    add('Its replication does not run.', 'Start it with tapi --component replicator online.')
  } else {
    const lag = channel.secondsBehind
    if (channel.delay > 0) add(`It applies ${channel.delay} s later on purpose.`, 'Name another one.')
    else if (lag === null || lag * 1000 > limits.maxLag) {
      const late = lag === null ? 'how far it is behind is not known' : `it is ${lag} s behind`
      add(
        `It may be too late: ${late}; switch-max-lag is ${seconds(limits.maxLag)}.`,
        'Wait until it caught up.',
      )
    }
  }
  found.push(...ofErrant(target, from), ...ofOmissions(name, reading.omissions, facts.accepted))
  return [...found, ...ofLogs(name, reading)]
}

/** Evaluates what a server needs so that others can follow it. */
export const ofLogs = (
  name: string,
  { gtids, logsReplicated }: Pick<SwitchReading, 'gtids' | 'logsReplicated'>,
): readonly SwitchRefusal[] => [
  ...(gtids
    ? []
    : [refusal(name, 'It has no GTIDs.', 'Switch GTIDs on (gtid_mode, enforce_gtid_consistency).')]),
  ...(logsReplicated
    ? []
    : [
        refusal(
          name,
          'It writes no binary log of what it replicates.',
          'Set log_bin and log_slave_updates on it, and restart it.',
        ),
      ]),
]

/** Returns the members that replicate straight from one of these. */
export const directFollowers = (
  members: readonly SwitchMember[],
  sources: readonly SwitchMember[],
): readonly SwitchMember[] =>
  members.filter((it) => {
    const channels = readingOf(it)?.channels ?? []
    return (
      !sources.includes(it) &&
      sources.some((source) => leadTo(source, channels, members, () => false) === 'yes')
    )
  })

/** Returns the remark about a server that could not be told to follow the new primary. */
export const followsLater = (name: string, to: string): string =>
  `${name} was not reached: its manager lets it follow ${to} when it is back, unless it has transactions of its own.`

/** Returns what becomes of the others, the old primary included. */
function restOf(
  target: SwitchMember,
  from: SwitchMember,
  members: readonly SwitchMember[],
): Pick<SwitchPlan, 'followers' | 'remarks'> {
  const absent = members.filter((it) => it !== target && it !== from && readingOf(it) === undefined)
  return {
    followers: [from, ...directFollowers(members, [from, target])].map(({ name }) => name),
    remarks: absent.map(({ name }) => followsLater(name, target.name)),
  }
}
