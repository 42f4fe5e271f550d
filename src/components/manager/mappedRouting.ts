import type { Routing } from '../../contracts/routing.ts'
import type { DataSource } from './dataSources.ts'
import type { DataSourceTable } from './dataSourceTable.ts'

/** Returns the routing of a map with the roles that it gives; what nobody can check is UNKNOWN in place of ONLINE. */
export const mappedRouting = (
  table: Pick<DataSourceTable, 'map' | 'view'>,
  isChecked: (source: DataSource) => boolean,
): Routing => ({
  services: table.map().services.map(({ name: service, datasources }) => {
    const routed = datasources.map((it) => {
      const source = { service, ...it }
      const { state } = table.view(source)
      const shown = state === 'ONLINE' && !isChecked(source) ? ('UNKNOWN' as const) : state
      const isUsable = shown === 'ONLINE' || shown === 'UNKNOWN'
      return { ...it, state: shown, readable: it.role === 'replica' && isUsable }
    })
    const primary = routed.find(({ role }) => role === 'primary')
    const isUsable = primary?.state === 'ONLINE' || primary?.state === 'UNKNOWN'
    const reason = primary ? `${primary.name} is ${primary.state}` : `the service ${service} has no primary`
    return {
      name: service,
      writer: isUsable
        ? { datasource: primary.name, code: null, reason: null, hold: false }
        : { datasource: null, code: null, reason, hold: false },
      datasources: routed,
    }
  }),
})
