import type { TSchema } from 'typebox'
import { requestBody } from './envelope.ts'
import { guardParameter, type QueryParameter, type Route } from './route.ts'
import type { ReadonlyStatic } from './schemaParts.ts'

/** One call as a client sends it: a route with its parameters, its query and its body. */
export type RouteCall = {
  readonly method: Route['method']
  /** Path and query, with a leading slash. */
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
}

type ParameterName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterName<Rest>
  : never

/** Parameters of a path; any for a path that only the running program knows. */
type Parameters<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : [ParameterName<Path>] extends [never]
    ? Readonly<Record<string, never>>
    : Readonly<Record<ParameterName<Path>, string>>

/** Value that a pattern decides on; a list has commas between its values. */
type Free = string | number | readonly string[]

type QueryValue<Parameter> = Parameter extends { readonly values: readonly (infer Value)[] } ? Value : Free

type Query<R extends Route> = R extends { readonly query: infer Known extends Record<string, QueryParameter> }
  ? { readonly [Name in keyof Known]?: QueryValue<Known[Name]> | undefined }
  : Route extends R
    ? Readonly<Record<string, string | undefined>>
    : Readonly<Record<string, never>>

type Payload<Request> = [Request] extends [null]
  ? { readonly payload?: never }
  : null extends Request
    ? { readonly payload?: unknown }
    : { readonly payload: PayloadIn<ReadonlyStatic<Request & TSchema>> }

type PayloadIn<Body> = Body extends { readonly payload?: infer Wrapped } ? NonNullable<Wrapped> : Body

/** Query and payload of a call; a parameter of the query that is undefined or an empty list is left out. */
type Details<R extends Route> = { readonly query?: Query<R> } & Payload<R['request']>

type Arguments<R extends Route> = [null] extends [R['request']]
  ? [ParameterName<R['path']>] extends [never]
    ? [parameters?: Parameters<R['path']>, details?: Details<R>]
    : [parameters: Parameters<R['path']>, details?: Details<R>]
  : [parameters: Parameters<R['path']>, details: Details<R>]

const encoded = (value: Free): string => [value].flat().map(encodeURIComponent).join(',')

/** Makes the call of a route: fills in its path, and adds the query, the guard where it has one, and the body. */
export function callOf<R extends Route>(route: R, ...details: Arguments<R>): RouteCall
export function callOf(
  { method, path, guard, request }: Route,
  parameters: Readonly<Record<string, string>> = {},
  { query = {}, payload }: { query?: Readonly<Record<string, Free | undefined>>; payload?: unknown } = {},
): RouteCall {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(parameters[name] ?? ''),
  )
  const members = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [`${name}=${encoded(value)}`],
  )
  if (guard) members.push(`${guardParameter}=true`)
  return {
    method,
    path: members.length === 0 ? filled : `${filled}?${members.join('&')}`,
    ...(request !== null && { body: requestBody(request, payload) }),
  }
}
