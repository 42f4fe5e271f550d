import type { PictureDataSource } from '../contracts/clusterPicture.ts'
import type { LagHistory, LagPoint } from '../contracts/dashboard.ts'

/** Milliseconds that lags are kept for, and points of one data source at most. */
export const lagLimits = { kept: 10 * 60_000, points: 1200 } as const

type Seen = Pick<PictureDataSource, 'service' | 'name' | 'appliedLatency'>

/** Lags of the last ten minutes, as the points at which they changed. */
export type LagRecorder = {
  /** Notes the lags of all data sources; one that is not among them is forgotten. */
  record(datasources: readonly Seen[], now: Date): void
  /** Returns the points since ten minutes ago; the first may be older, and holds until the second. */
  read(now: Date): readonly LagHistory[]
}

type Line = { readonly service: string; readonly datasource: string; points: readonly LagPoint[] }

/** Creates a recorder, which costs one comparison for each lag that did not change. */
export function createLagRecorder(): LagRecorder {
  let lines = new Map<string, Line>()

  function kept(points: readonly LagPoint[], now: Date): readonly LagPoint[] {
    const begin = new Date(now.getTime() - lagLimits.kept).toISOString()
    const first = points.findLastIndex(({ at }) => at <= begin)
    return points.slice(Math.max(0, first, points.length - lagLimits.points))
  }

  return {
    record(datasources, now) {
      const next = new Map<string, Line>()
      for (const { service, name: datasource, appliedLatency: lag } of datasources) {
        const key = `${service}/${datasource}`
        const line = lines.get(key) ?? { service, datasource, points: [] }
        if (line.points.length === 0 || line.points.at(-1)?.lag !== lag) {
          line.points = kept([...line.points, { at: now.toISOString(), lag }], now)
        }
        next.set(key, line)
      }
      lines = next
    },
    read: (now) =>
      [...lines.values()].map(({ service, datasource, points }) => ({
        service,
        datasource,
        points: kept(points, now),
      })),
  }
}
