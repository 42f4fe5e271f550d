import type { CallClock } from '../../client/call.ts'
import { joinReports, type ManagerReport, type ServiceView } from '../../client/clusterView.ts'
import { drillWriters } from '../../contracts/drilling.ts'
import { askStatus, type ManagerOfHost } from '../switchPrimary.ts'
import { type DrillPlan, flawsOf } from './planDrill.ts'
import type { RowLedger } from './rowLedger.ts'

/** Sights after the fault. row: the first one is acknowledged that was begun after it. online: its host is a replica again. */
export type DrillMoment = 'failed' | 'primary' | 'row' | 'healed' | 'online' | 'whole'

/** Milliseconds after the fault; those that were not seen are left out. */
export type DrillMoments = Readonly<Partial<Record<DrillMoment, number>>>

/** Milliseconds; a fault lasts until it was dealt with, and must be over before its host undoes it. */
const limits = { fault: 45_000, seen: 10_000, whole: 120_000, pause: 200 }

/** Follows what managers and writers see from now on, when the fault has been made. */
export function watchService(options: {
  readonly plan: DrillPlan
  readonly managers: readonly ManagerOfHost[]
  readonly ledger: RowLedger
  readonly onMoment: (
    moment: DrillMoment,
    seen: { readonly after: number; readonly primary: string | null },
  ) => void
  readonly clock: CallClock
  readonly signal: AbortSignal
}) {
  const { plan, managers, ledger, clock, signal, onMoment } = options
  const { service } = plan
  const struckAt = clock.now()
  const moments: Partial<Record<DrillMoment, number>> = {}
  let primary: string | null = null
  let away: readonly string[] = []

  const see = (moment: DrillMoment, time = clock.now()): void => {
    if (moments[moment] !== undefined) return
    const after = Math.max(0, Math.round(time - struckAt))
    moments[moment] = after
    onMoment(moment, { after, primary })
  }
  async function read(which = managers): Promise<readonly ManagerReport[]> {
    const reports = await Promise.all(which.map((it) => askStatus(it, service)))
    const view = joinReports(reports).find(({ name }) => name === service)
    if (view) note(view)
    return reports
  }
  function note({ writer, datasources }: ServiceView): void {
    const state = datasources.find(({ name }) => name === plan.host)?.state
    away = datasources.filter((it) => it.state !== 'ONLINE').map(({ name }) => name)
    primary = writer?.datasource ?? primary
    if (state === 'FAILED') see('failed')
    // Its time is that of the writer, before a manager was asked.
    const first = ledger.firstAfter(struckAt)
    if (first !== undefined) see('row', first)
    if (primary !== null && primary !== plan.primary) see('primary')
    if (state === 'ONLINE' && moments.healed !== undefined) see('online')
  }
  const survivors = managers.filter(({ host }) => host !== plan.host)
  /** True once clients write again, and the managers have noticed the fault or had the time for it. */
  const isHandled = (): boolean => {
    const hasHadTime = clock.now() > struckAt + limits.seen
    const isReplaced = plan.host !== plan.primary || moments.primary !== undefined || hasHadTime
    const isNoticed = moments.failed !== undefined || hasHadTime
    return isReplaced && isNoticed && ledger.fewestAfter(struckAt, drillWriters) > 0
  }

  return {
    struckAt,
    moments: (): DrillMoments => moments,
    /** The primary that the managers named last; null for none since the fault. */
    primary: () => primary,
    /** Servers that were not ONLINE at the last look. */
    away: () => away,
    /** Waits until the fault has been dealt with, the writers have ended, or it has lasted long enough. */
    async untilHandled(haveEnded: () => boolean): Promise<void> {
      while (!signal.aborted && !haveEnded() && clock.now() < struckAt + limits.fault) {
        await read(survivors)
        if (isHandled()) return
        await clock.wait(limits.pause)
      }
    },
    /** Waits until the service is whole again, now that the fault is undone; returns why it is not after a while. */
    async untilWhole(): Promise<readonly string[]> {
      see('healed')
      const until = clock.now() + limits.whole
      for (;;) {
        const flaws = flawsOf(service, await read())
        if (flaws.length === 0) {
          see('whole')
          return []
        }
        if (clock.now() > until) return flaws.map(({ host, reason }) => `${host ?? service}: ${reason}`)
        await clock.wait(limits.pause)
      }
    },
  }
}
