import { managerRoutes } from '../contracts/managerRoutes.ts'
import { callOf, type RouteCall } from '../contracts/routeCall.ts'
import type { Refused } from './call/change.ts'
import { findService } from './call/findService.ts'
import { defineCalls } from './call/oneCall.ts'
import type { Call } from './call/prepareCall.ts'
import { renderService } from './call/renderDatasources.ts'

const routes = {
  status: managerRoutes.managerServiceStatus,
  online: managerRoutes.managerServiceOnline,
  offline: managerRoutes.managerServiceOffline,
} as const

type Given = { readonly service?: string | undefined }

/** Returns the request of a call for the service that the command line selects. */
export const requestService =
  (name: keyof typeof routes) =>
  async ({ service }: Given, call: Call): Promise<RouteCall | Refused> => {
    const found = await findService(call, { service })
    return 'problem' in found ? found : callOf(routes[name], found)
  }

const shown = {
  argument: ['[service]', 'name of the service (default: the only one)'],
  render: renderService,
  shared: true,
} as const

const of = ({ service = 'the service' }: Given): string => service

export const defineService = defineCalls('manager', {
  status: {
    ...shown,
    description: 'show a service and its data sources',
    request: requestService('status'),
  },
  online: {
    ...shown,
    description: 'bring every offline data source online',
    request: requestService('online'),
    question: (where, given: Given) => `Bring every offline data source of ${of(given)} online on ${where}?`,
  },
  offline: {
    ...shown,
    description: 'take every online data source offline',
    request: requestService('offline'),
    question: (where, given: Given) =>
      `Take every data source of ${of(given)} offline on ${where}? Applications then cannot reach the database ` +
      'through the connector. Under AUTOMATIC they come back online by themselves.',
  },
})
