import { requestSchema } from './envelope.ts'
import type { ProblemCode } from './problems.ts'
import { basePath, type Route } from './route.ts'
import {
  ChangedServicesMapPayload,
  DataServicePayload,
  DataSourcePayload,
  NewDataService,
  NewDataSource,
  ServicesMap,
  ServicesMapPayload,
} from './servicesMap.ts'

const changing = { method: 'POST', auth: 'basic', guard: true, tag: 'Services map' } as const

/** The calls of a component's services map, below its own prefix and each named after it. */
export const servicesMapRoutes = <const Prefix extends 'connector' | 'manager'>(
  prefix: Prefix,
  problems: readonly ProblemCode[],
) => {
  const root = `${basePath}/${prefix}`
  const map = `${root}/configuration/module/servicesmap`
  return {
    servicesMap: {
      name: `${prefix}ServicesMap`,
      tag: 'Services map',
      method: 'GET',
      path: map,
      auth: 'basic',
      guard: false,
      summary: 'Reads the services map in effect, with the state of each data source.',
      request: null,
      response: { kind: 'payload', payloadType: 'ServicesMapPayload', payload: ServicesMapPayload },
      problems,
    },
    changeServicesMap: {
      ...changing,
      name: `${prefix}ChangeServicesMap`,
      path: map,
      summary: 'Replaces the whole services map; states are not part of it.',
      request: requestSchema('ServicesMapPayload', ServicesMap),
      response: { kind: 'payload', payloadType: 'ServicesMapPayload', payload: ChangedServicesMapPayload },
      problems: [...problems, 'invalid-map'],
    },
    addDataService: {
      ...changing,
      name: `${prefix}AddDataService`,
      path: `${root}/addDataService`,
      summary: 'Adds a service to the map.',
      request: requestSchema('DataServicePayload', NewDataService),
      response: { kind: 'payload', payloadType: 'DataServicePayload', payload: DataServicePayload },
      problems: [...problems, 'invalid-map', 'already-exists'],
    },
    addDataSource: {
      ...changing,
      name: `${prefix}AddDataSource`,
      path: `${root}/addDataSource`,
      summary: 'Adds a data source to a service of the map.',
      request: requestSchema('DataSourcePayload', NewDataSource),
      response: { kind: 'payload', payloadType: 'DataSourcePayload', payload: DataSourcePayload },
      problems: [...problems, 'invalid-map', 'already-exists', 'unknown-service'],
    },
    reset: {
      ...changing,
      name: `${prefix}Reset`,
      path: `${root}/reset`,
      summary: 'Resets the services map to the installed one.',
      request: null,
      response: { kind: 'payload', payloadType: 'ServicesMapPayload', payload: ChangedServicesMapPayload },
      problems,
    },
  } as const satisfies Readonly<Record<string, Route>>
}
