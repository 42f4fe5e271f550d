import { ProblemError } from '../../api/problemError.ts'
import type { OutsideChange } from '../../contracts/choices.ts'
import { gtidText } from '../databases/gtidSet.ts'
import type { ServerReading } from '../databases/probe.ts'
import {
  assessService,
  assumeService,
  type MemberAssessment,
  type ServiceAssessment,
} from './assessService.ts'
import type { Finding } from './checkResult.ts'
import { addressOf, type DataSource } from './dataSources.ts'
import type { DataSourceTable, DataSourceView } from './dataSourceTable.ts'
import { countStrangers, decideFailover, type FailoverDecision } from './decideFailover.ts'
import { decideOwnServer, isSameStart, type LastRun, type OwnOrder } from './decideOwnServer.ts'
import { type Incumbent, named, unconfirmed } from './decideWriter.ts'
import type { HealthTable } from './health.ts'
import type { LastRuns } from './lastRuns.ts'
import {
  followedName,
  heldByOthers,
  type Member,
  readingOf,
  showsPrimary,
  waitsInVain,
} from './replicationGraph.ts'
import type { SwitchHolds } from './switchHolds.ts'
import type { TakenOfflineTable } from './takenOffline.ts'

/** Log of a manager. */
export type ManagerLog = Readonly<Record<'info' | 'warn' | 'error', (facts: object, message: string) => void>>

/** The data sources on this manager's own host, and what is recorded of their runs. */
export type OwnServers = { readonly addresses: ReadonlySet<string>; readonly runs: LastRuns }

/** Services of the map by the last checks, each with the writer that it is remembered to have. */
export type ServiceAssessments = {
  of(service: string): ServiceAssessment
  ofMember(source: DataSource): MemberAssessment
  /** Null before the first check. */
  findingOf(source: DataSource): Finding | null
  /** Looks at a service as a whole again, after anything of it changed. */
  reassess(service: string): void
  /** Returns what this manager does about its own server of a service, and which that is; undefined for nothing. */
  ownOrder(service: string): { readonly source: DataSource; readonly order: OwnOrder } | undefined
  /** Records that this manager has its own server of a service killed; returns false where that is not on disk. */
  noteCrash(service: string): boolean
  /** Returns what the managers do about the primary of a service by themselves once it is lost. */
  failover(service: string): FailoverDecision
  /** Returns the data source of a service on this manager's host, if it may change its server; undefined for none. */
  ownSource(service: string): DataSource | undefined
  /** Undefined before the first assessment. */
  incumbent(service: string): Incumbent | undefined
  /** Returns true where the last readings show the primary that a switch or a failover was to make. */
  shows(service: string, order: Parameters<typeof showsPrimary>[1]): boolean
  /** Makes a data source the writer by the word of a person; null for none. */
  name(service: string, writer: string | null): void
  /** Lets the servers say again whether this data source is the writer, if it was. */
  doubt(service: string, writer: string): void
  /** Forgets who the writer was: the servers have to say whether the one of the map is it. */
  forget(service: string): void
  /** Forgets all other services. */
  retain(services: ReadonlySet<string>): void
}

/** Changes that are worth a line of the log; numbers within a reason are not. */
const lineOf = (code: string | null | undefined, reason: string | null | undefined): string | null =>
  code ?? reason ?? null

/** Assesses the services of a table; where the writer is another one, that is on disk before it counts. */
export function createServiceAssessments(options: {
  readonly table: DataSourceTable
  readonly health: HealthTable
  readonly holds: SwitchHolds
  readonly takenOffline: Pick<TakenOfflineTable, 'of'>
  /** False if nothing is checked: then a service is as the map says. */
  readonly isMonitoring: boolean
  readonly onOutsideChange: OutsideChange
  /** Milliseconds; null for any number. */
  readonly maxReplicaLag: number | null
  /** Undefined where this manager changes no server by itself. */
  readonly own: OwnServers | undefined
  readonly log: ManagerLog
}): ServiceAssessments {
  const { table, health, holds, takenOffline, isMonitoring, onOutsideChange, maxReplicaLag, own, log } =
    options
  const incumbents = new Map<string, Incumbent>()
  const assessments = new Map<string, ServiceAssessment>()
  const ownOrders = new Map<string, ReturnType<ServiceAssessments['ownOrder']>>()
  /** Servers outside a service that acknowledged the commits of its primary at its last reading. */
  const strangers = new Map<string, { readonly reading: ServerReading; readonly count: number }>()

  /** Since when, by the clock of readings, the commits of this host's server wait in vain. */
  const vain = new Map<string, { readonly text: string; readonly since: number }>()

  function vainTime(service: string, own: Member, members: readonly Member[]): number {
    const text = waitsInVain(own, members)
    const { readAt } = own
    if (text === undefined || readAt == null) {
      vain.delete(service)
      return 0
    }
    const before = vain.get(service)
    if (before?.text === text) return readAt - before.since
    vain.set(service, { text, since: readAt })
    return 0
  }

  const ownSource = (service: string): DataSourceView | undefined =>
    table.views(service).find((it) => own?.addresses.has(addressOf(it)))

  /** Counts who acknowledges commits where the primary was read anew. */
  function lookAtAckers(service: string, primary: string | null): void {
    const views = table.views(service)
    const view = views.find(({ name }) => name === primary)
    const observation = view && health.of(view).observation
    if (observation?.kind !== 'answered' || strangers.get(service)?.reading === observation.reading) return
    const members = views.map(memberOf)
    const it = members.find(({ name }) => name === primary)
    if (it) strangers.set(service, { reading: observation.reading, count: countStrangers(it, members) })
  }

  function memberOf(view: DataSourceView): Member {
    const { observation, known, readAt, unreached } = health.of(view)
    const { name, host, port, role, state } = view
    return {
      name,
      host,
      port,
      role,
      state,
      look: observation ?? { kind: 'unread' },
      known,
      readAt,
      takenOffline: takenOffline.of(view) ?? null,
      failures: unreached,
    }
  }

  function assess(service: string, incumbent: Incumbent, change: OutsideChange): ServiceAssessment {
    const members = table.views(service).map(memberOf)
    const openSwitch = holds.openSwitch(service)
    if (!isMonitoring) return assumeService({ service, members, incumbent, openSwitch })
    return assessService({
      service,
      members,
      incumbent,
      policy: table.policy(service),
      onOutsideChange: change,
      maxReplicaLag,
      openSwitch,
    })
  }

  /** Records another writer, and the fence that it needs. Returns false where that cannot be written. */
  function takeWriter(service: string, name: string, fence: string | null): boolean {
    const before = incumbents.get(service)?.name ?? null
    const facts = { service, from: before, to: name, fenced: fence }
    try {
      const reason = `It can be written and follows nobody, but the others follow ${name}.`
      table.setWriter(service, name, fence === null ? null : { name: fence, reason })
      if (fence !== null) health.resetStreak(table.view({ service, name: fence }))
      const isOfSwitch = holds.openSwitch(service)?.to === name
      log.warn(
        facts,
        isOfSwitch
          ? 'follows the new primary of a switch that did not end'
          : 'follows a primary that somebody changed by other means',
      )
      return true
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      // The next check comes to the same end.
      log.error({ ...facts, problem: error.message }, 'the writer of a service stays as it is')
      return false
    }
  }

  function assessAndRecord(service: string): ServiceAssessment {
    const incumbent = incumbents.get(service) ?? firstIncumbent(service)
    const found = assess(service, incumbent, onOutsideChange)
    const { name } = found.incumbent
    if (name === null || name === incumbent.name) return found
    if (!takeWriter(service, name, found.fence)) return assess(service, incumbent, 'hold')
    return found.fence === null ? found : assess(service, found.incumbent, onOutsideChange)
  }

  /** Decides about the server of this host, and records its run where all is as it should be. */
  function lookAtOwn(service: string, { writer, incumbent }: ServiceAssessment): OwnOrder | null {
    ownOrders.delete(service)
    const source = ownSource(service)
    if (!own || !source) return null
    const members = table.views(service).flatMap((it) => (it.role === 'witness' ? [] : [memberOf(it)]))
    const it = members.find(({ name }) => name === source.name)
    const reading = it && readingOf(it)
    const { checkedAt } = health.of(source)
    if (!it || reading?.uptime == null || checkedAt === null) return null
    const startedAt = checkedAt.getTime() - reading.uptime * 1000
    const isSure = incumbent.isConfirmed && writer.datasource === incumbent.name
    const isWriter = isSure && incumbent.name === source.name && reading.isWritable
    if (isWriter || (!reading.isWritable && reading.channels.length > 0)) {
      const followed = reading.channels.length === 1 ? followedName(it, members) : null
      // A failover lets it follow the one that it promotes before that is the primary, and may end without it.
      const known = [isSure ? incumbent.name : null, holds.openSwitch(service)?.to]
      const before = own.runs.of(source)
      const kept = before?.wasWriter === true && !isWriter ? undefined : before?.follows
      const follows = followed !== null && known.includes(followed) ? followed : kept
      noteRun(own.runs, source, {
        ...{ startedAt, wasWriter: isWriter, wasSemiSyncSource: isWriter && reading.semiSync.source },
        ...(follows != null && { follows }),
      })
    }
    const lastRun = own.runs.of(source)
    const isFrozen = incumbent.name === source.name && !reading.isWritable && reading.channels.length === 0
    // In the same run a person did that, and it holds after the next start, too.
    if (
      lastRun?.wasWriter &&
      !lastRun.gaveWay &&
      isFrozen &&
      isSameStart(lastRun.startedAt, startedAt) &&
      !holds.openSwitch(service)
    )
      noteRun(own.runs, source, { ...lastRun, wasWriter: false })
    const run = own.runs.of(source)
    const order = decideOwnServer({
      service,
      members,
      incumbent,
      writer,
      policy: table.policy(service),
      onOutsideChange,
      openSwitch: holds.openSwitch(service),
      own: {
        ...{ name: source.name, startedAt, lastRun: run },
        vain: vainTime(service, it, members),
      },
    })
    if (order?.kind === 'read-only' && incumbent.name === source.name && run?.wasWriter) {
      noteRun(own.runs, source, { ...run, gaveWay: true })
    }
    if (order) ownOrders.set(service, { source, order })
    return order
  }

  /** Returns false where it is not on disk. */
  function noteRun(runs: LastRuns, source: DataSource, run: LastRun): boolean {
    try {
      runs.note(source, run)
      return true
    } catch (error) {
      const { service, name: datasource } = source
      // Without it, a person decides after the next start.
      log.error({ service, datasource, err: error }, 'the run of a server could not be recorded')
      return false
    }
  }

  function noteCrash(service: string): boolean {
    const source = ownSource(service)
    if (!own || !source) return false
    const run = own.runs.of(source)
    if (run === undefined) return false
    const members = table.views(service).map(memberOf)
    const its = members.find(({ name }) => name === source.name)
    const kept = its && gtidText(heldByOthers(its, members), Number.POSITIVE_INFINITY)
    return noteRun(own.runs, source, { ...run, wasCrashed: true, ...(kept && { kept }) })
  }

  function reassess(service: string): void {
    const before = assessments.get(service)
    const found = assessAndRecord(service)
    const order = isMonitoring ? lookAtOwn(service, found) : null
    const after =
      order?.kind === 'wait'
        ? { ...found, writer: { ...found.writer, reason: `${found.writer.reason}: ${order.reason}` } }
        : found
    incumbents.set(service, after.incumbent)
    assessments.set(service, after)
    lookAtAckers(service, after.incumbent.name)
    for (const [datasource, { finding }] of after.members) {
      const earlier = before?.members.get(datasource)?.finding
      if (lineOf(earlier?.code, earlier?.reason) === lineOf(finding?.code, finding?.reason)) continue
      const { code = null, reason = null } = finding ?? {}
      log.info(
        { service, datasource, code, reason },
        reason === null ? 'all is well again' : 'a check found something',
      )
    }
    const { writer } = after
    if (before && before.writer.datasource !== writer.datasource)
      log.info({ service, ...writer }, 'the writer of a service changed')
    if (writer.datasource !== null && after.incumbent.isConfirmed) settle(service)
  }

  /** Ends the say of a switch whose time ran out, once the servers say who the writer is. */
  function settle(service: string): void {
    if (holds.openSwitch(service) === null) return
    try {
      holds.setDecided(service)
    } catch (error) {
      // The next check comes to the same end.
      if (!(error instanceof ProblemError)) throw error
    }
  }

  function firstIncumbent(service: string): Incumbent {
    const name = table.writer(service)
    const absent = table.views(service).filter((it) => it.state === 'FAILED' && it.name !== name)
    return unconfirmed(
      name,
      absent.map((it) => it.name),
    )
  }

  /** Of a service of the map: each is assessed from its first moment there. */
  const assessed = (service: string): ServiceAssessment =>
    assessments.get(service) ?? assess(service, firstIncumbent(service), 'hold')

  const assessmentOf = ({ service, name, role }: DataSource): MemberAssessment =>
    assessed(service).members.get(name) ?? { role, finding: null, isLate: false, follows: null }

  return {
    of: assessed,
    ofMember: assessmentOf,
    findingOf: (source) => assessmentOf(source).finding,
    reassess,
    ownOrder: (service) => ownOrders.get(service),
    noteCrash,
    failover: (service) =>
      decideFailover({
        canChange: own !== undefined,
        members: table.views(service).map(memberOf),
        incumbent: incumbents.get(service) ?? firstIncumbent(service),
        policy: table.policy(service),
        openSwitch: holds.openSwitch(service),
        strangers: strangers.get(service)?.count ?? 0,
      }),
    ownSource,
    incumbent: (service) => incumbents.get(service),
    shows: (service, order) => showsPrimary(table.views(service).map(memberOf), order),
    name: (service, writer) => void incumbents.set(service, named(writer)),
    doubt: (service, writer) => {
      const { name, isContested } = incumbents.get(service) ?? firstIncumbent(service)
      if (name === writer) incumbents.set(service, { ...firstIncumbent(service), isContested })
    },
    forget: (service) => void incumbents.set(service, unconfirmed(table.writer(service), [])),
    retain: (services) => {
      for (const kind of [incumbents, assessments, ownOrders, strangers, vain]) {
        for (const service of kind.keys()) if (!services.has(service)) kind.delete(service)
      }
    },
  }
}
