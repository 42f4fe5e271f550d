import { commonRoutes } from '../../src/contracts/commonRoutes.ts'
import type { Component } from '../../src/contracts/component.ts'
import { connectorRoutes } from '../../src/contracts/connectorRoutes.ts'
import { managerRoutes } from '../../src/contracts/managerRoutes.ts'
import { replicatorRoutes } from '../../src/contracts/replicatorRoutes.ts'
import type { Route } from '../../src/contracts/route.ts'

const own: Readonly<Record<Component, Readonly<Record<string, Route>>>> = {
  manager: managerRoutes,
  connector: connectorRoutes,
  replicator: replicatorRoutes,
}

/** Every call that a component has by the contracts. */
export const componentRoutes = (component: Component): readonly Route[] => [
  ...Object.values(commonRoutes),
  ...Object.values(own[component]),
]
