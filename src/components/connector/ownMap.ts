import type { ServicesMap } from '../../contracts/servicesMap.ts'
import type { MapInEffect } from './routes.ts'

/** A map that nobody watches, as it is routed by: all of it is ONLINE. */
export const allOnline = ({ services }: ServicesMap): MapInEffect => ({
  services: services.map(({ name, datasources }) => ({
    name,
    datasources: datasources.map((it) => ({ ...it, state: 'ONLINE' as const })),
  })),
})

/** A map without what is no part of it: clients send back what a GET gave. */
export const withoutStates = (map: {
  readonly services: readonly {
    readonly name: string
    readonly datasources: readonly (ServicesMap['services'][number]['datasources'][number] & {
      readonly state?: unknown
    })[]
  }[]
}): ServicesMap => ({
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
