import { commonRoutes } from './commonRoutes.ts'
import type { Component } from './component.ts'
import { connectorRoutes } from './connectorRoutes.ts'
import { managerRoutes } from './managerRoutes.ts'
import { replicatorRoutes } from './replicatorRoutes.ts'
import type { Route } from './route.ts'

/** The calls of each component's API by their names. */
export const apiRoutes: Readonly<Record<Component, Readonly<Record<string, Route>>>> = {
  manager: { ...commonRoutes, ...managerRoutes },
  connector: { ...commonRoutes, ...connectorRoutes },
  replicator: { ...commonRoutes, ...replicatorRoutes },
}
