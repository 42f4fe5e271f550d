import type { ServicesMap } from '../../contracts/servicesMap.ts'
import type { MapInEffect } from './routes.ts'

/** A map that nobody watches, as it is routed by: how its data sources are is UNKNOWN. */
export const unwatched = ({ services }: ServicesMap): MapInEffect => ({
  services: services.map(({ name, datasources }) => ({
    name,
    datasources: datasources.map((it) => ({ ...it, state: 'UNKNOWN' as const })),
  })),
})

/** A map in effect without its states, which are no part of a map. */
export const withoutStates = (map: MapInEffect): ServicesMap => ({
  services: map.services.map(({ name, datasources }) => ({
    name,
    datasources: datasources.map(({ name: itsName, host, port, role }) => ({
      name: itsName,
      host,
      port,
      role,
    })),
  })),
})
