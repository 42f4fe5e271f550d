import type { TSchema } from 'typebox'
import type { AccessLevel } from './accessLevels.ts'
import type { ProblemCode } from './problems.ts'

/**
 * User-Agent header of what components ask each other and muster asks the APIs on a host by itself. People's calls, such
 * as those of tapi, carry another. Nothing but the level of a line in the log follows from it.
 */
export const internalUserAgent = 'muster'

/** Groups of calls in the documentation, in the order in which it shows them, and what they are for. */
export const tags = {
  Status: 'State of the manager, of the services and of their data sources. Changes nothing.',
  Services: 'Takes all data sources of a service offline, or brings them online.',
  'Data sources': 'Changes the state of one data source.',
  Policies: 'Sets which actions the manager takes by itself.',
  Connector: 'State of the connector, and how it handles new client connections.',
  Replication: 'State of the replication on this host; starts, stops and resets it.',
  'Services map': 'Services, and the data sources that belong to each.',
  Users: 'Users of the REST APIs of this host. Each host has users of its own.',
  Server: 'Version of the server, and the calls that it supports.',
  Health: 'For load balancers and monitoring.',
} as const

type Tag = keyof typeof tags

/**
 * Callers that a route accepts. `none`: anybody. `optional`: anybody; a valid login is told more. `bootstrap`: anybody
 * while the host has no user, a user afterwards. `basic`: a user. `host`: also a host of the cluster, by its certificate.
 */
export type RouteAuth = 'none' | 'optional' | 'bootstrap' | 'basic' | 'host'

/** Form of a successful response: a payload in the envelope, bare JSON, text, or a stream that stays open. */
export type RouteResponse =
  | { readonly kind: 'payload'; readonly payloadType: string; readonly payload: TSchema }
  /** Server-sent events (text/event-stream); the data of each is a payload in the envelope, on one line. */
  | { readonly kind: 'events'; readonly payloadType: string; readonly payload: TSchema }
  | { readonly kind: 'json'; readonly schema: TSchema }
  | {
      readonly kind: 'text'
      readonly mediaType: string
      /** Parameters of the media type beside the charset, such as `version=0.0.4`. */
      readonly parameters?: string
      readonly unready?: true
    }

/** A query parameter that may be left out: one of its values, or any that matches its pattern. */
export type QueryParameter = {
  readonly values: readonly string[] | { readonly pattern: string }
  readonly description: string
}

/** The query parameter of a change that is only to be checked. */
export const dryRun = {
  dry: {
    values: ['yes'],
    description:
      'yes: nothing changes. The call is refused as it would be without it, or returns the present state, and `changed` ' +
      'is true if it would change that.',
  },
} as const satisfies Readonly<Record<string, QueryParameter>>

/** Returns true for a value that a query parameter takes. */
export const takesValue = ({ values }: QueryParameter, value: string): boolean =>
  'pattern' in values ? new RegExp(values.pattern).test(value) : values.includes(value)

/** One call of the API; server, client, OpenAPI document and tests derive from it. */
export type Route = {
  /** Unique within a component; the OpenAPI operation id. */
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** Full path; `{name}` stands for one percent-encoded segment. */
  readonly path: string
  readonly auth: RouteAuth
  /** Level that a user needs; absent: `read` for a GET, `full` for a POST. */
  readonly access?: AccessLevel
  /** True if the query must be exactly `i-am-sure=true` (specification section 4.4). */
  readonly guard: boolean
  /** Further query parameters, each at most once and with one of these values. */
  readonly query?: Readonly<Record<string, QueryParameter>>
  readonly summary: string
  /** Group that the call is documented in. */
  readonly tag: Tag
  /** Schema of the JSON body; null when the call takes none. */
  readonly request: TSchema | null
  readonly response: RouteResponse
  /** Codes of the problems that are this call's own, beside those that every call has. */
  readonly problems: readonly ProblemCode[]
}

/** Returns the access level that a user needs for a call; undefined for a call that anybody may make. */
export function accessFor({ method, auth, access }: Route): AccessLevel | undefined {
  if (auth === 'none' || auth === 'optional') return undefined
  return access ?? (method === 'GET' ? 'read' : 'full')
}

/** Prefix of every call of the specification (section 1.7). */
export const basePath = '/api/v2'

/** The query parameter that guards what changes things, and its one value (specification section 4.4). */
export const guardParameter = 'i-am-sure'
