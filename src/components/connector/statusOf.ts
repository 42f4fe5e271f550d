import type { ConnectorStatusPayload } from '../../contracts/connectorPayloads.ts'
import type { Mode } from './mode.ts'
import type { ProxyCounts } from './proxy.ts'
import type { MapInEffect } from './routes.ts'

const later = (now: Date, milliseconds: number): string =>
  new Date(now.getTime() + milliseconds).toISOString()

/** The connector as the API shows it. */
export function statusOf(facts: {
  readonly mode: Mode
  readonly counts: ProxyCounts
  readonly map: MapInEffect
  /** The service that is forwarded to: all others have no connections. */
  readonly service: string
  /** What keeps it from forwarding, or what it has to do without; nulls are passed over. */
  readonly problems: readonly (string | null)[]
  readonly now: Date
}): ConnectorStatusPayload {
  const { mode, counts, map, service, problems, now } = facts
  const { active, held, created, remaining, draining, byName } = counts
  const drain =
    draining === undefined
      ? null
      : `connections that are still open are cut at ${later(now, draining)} unless they end before`
  const reasons = [drain, ...problems].filter((it) => it !== null)
  return {
    value: mode.value,
    since: mode.since,
    by: mode.by,
    reason: reasons.length > 0 ? reasons.join('; ') : null,
    active,
    held,
    created,
    expiresAt: remaining === undefined ? null : later(now, remaining),
    datasources: map.services.flatMap(({ name, datasources }) =>
      datasources.map((it) => ({
        service: name,
        name: it.name,
        ...((name === service ? byName.get(it.name) : undefined) ?? { active: 0, created: 0 }),
      })),
    ),
  }
}
