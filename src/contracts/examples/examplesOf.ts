import type { TSchema } from 'typebox'
import type { Route } from '../route.ts'
import type { ReadonlyStatic } from '../schemaParts.ts'

const db1 = { name: 'db1', host: '10.0.0.11', port: 3306, role: 'primary' } as const
const db2 = { name: 'db2', host: '10.0.0.12', port: 3306, role: 'replica' } as const
const db3 = { name: 'db3', host: '10.0.0.13', port: 3306, role: 'replica' } as const

const online = { state: 'ONLINE' } as const
const installed = [
  {
    name: 'alpha',
    datasources: [
      { ...db1, ...online },
      { ...db2, ...online },
    ],
  },
]

/** Examples for the calls of a services map, which two components have. */
export const mapExamples = {
  servicesMap: { response: { services: installed } },
  changeServicesMap: {
    request: {
      payloadType: 'ServicesMapPayload',
      payload: { services: [{ name: 'alpha', datasources: [db1, db2] }] },
    },
    response: { services: installed, changed: true },
  },
  addDataService: {
    request: { payloadType: 'DataServicePayload', payload: { name: 'beta' } },
    response: { name: 'beta', datasources: [], changed: true },
  },
  addDataSource: {
    request: {
      payloadType: 'DataSourcePayload',
      payload: { service: 'alpha', ...db3 },
    },
    response: { service: 'alpha', ...db3, ...online, changed: true },
  },
  reset: { response: { services: installed, changed: true } },
}

type RequestExample<R extends Route> = R['request'] extends TSchema
  ? { readonly request: ReadonlyStatic<R['request']> }
  : { readonly request?: never }

type ResponseExample<R extends Route> = R['response'] extends {
  readonly payload: infer Payload extends TSchema
}
  ? ReadonlyStatic<Payload>
  : R['response'] extends { readonly kind: 'text' }
    ? string
    : object

/** Body of a request, and content of its response: the payload alone, the JSON, or the text. */
export type CallExample = { readonly request?: unknown; readonly response: unknown }

/** An example for every route of a table, of the types that its schemas say. */
export type ExamplesOf<Routes extends Readonly<Record<string, Route>>> = {
  readonly [Name in keyof Routes]: RequestExample<Routes[Name]> & {
    readonly response: ResponseExample<Routes[Name]>
  }
}
