import { requestSchema } from './envelope.ts'
import { taskIdPattern } from './managerPayloads.ts'
import type { ProblemCode } from './problems.ts'
import { basePath, dryRun, type Route } from './route.ts'
import {
  ChangedServicesMapPayload,
  DataServicePayload,
  DataSourcePayload,
  NewDataService,
  NewDataSource,
  ServicesMap,
  ServicesMapPayload,
} from './servicesMap.ts'

/** Parameters of a change that all managers of a service get. */
export const sharedQuery = {
  peers: {
    values: ['reachable', 'alone', 'check'],
    description:
      'Without it all managers of the service get the change, or none. reachable: those that cannot be reached are left ' +
      'out, and named. alone: this manager alone; the caller tells the others. check: nothing changes yet; a manager ' +
      'that leads the change asks this one whether it would take it.',
  },
  change: {
    values: { pattern: taskIdPattern },
    description: 'Id of the change, from the manager that leads it.',
  },
  ...dryRun,
} as const

const changing = {
  method: 'POST',
  auth: 'basic',
  guard: true,
  query: sharedQuery,
  tag: 'Services map',
} as const

/** Problems of a change that all managers of a service get. */
export const sharedProblems = [
  'operation-running',
  'wrong-state',
  'manager-unreachable',
] as const satisfies readonly ProblemCode[]

/** The calls of a component's services map, below its own prefix and each named after it. */
export const servicesMapRoutes = <const Prefix extends 'connector' | 'manager'>(
  prefix: Prefix,
  own: readonly ProblemCode[],
) => {
  const problems = [...new Set([...own, ...sharedProblems])]
  const root = `${basePath}/${prefix}` as const
  const map = `${root}/configuration/module/servicesmap` as const
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
      problems: own,
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
