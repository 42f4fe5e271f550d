import type { TSchema } from 'typebox'
import type { ProblemCode } from './problems.ts'
import type { Tag } from './tags.ts'

/**
 * Who may make a call. `none`: anybody. `optional`: anybody; a good login is told more. `bootstrap`: anybody
 * while the host has no user, a user afterwards. `basic`: a user.
 */
export type RouteAuth = 'none' | 'optional' | 'bootstrap' | 'basic'

/** What a good answer is: a payload in the envelope, bare JSON, or text. */
export type RouteResponse =
  | { readonly kind: 'payload'; readonly payloadType: string; readonly payload: TSchema }
  | { readonly kind: 'json'; readonly schema: TSchema }
  | {
      readonly kind: 'text'
      readonly mediaType: string
      /** Parameters of the media type beside the charset, such as `version=0.0.4`. */
      readonly parameters?: string
      readonly unready?: true
    }

/** A query parameter that may be left out. */
export type QueryParameter = { readonly values: readonly string[]; readonly description: string }

/** One call of the API; server, client, OpenAPI document and tests derive from it. */
export type Route = {
  /** Unique within a component; the OpenAPI operation id. */
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** Full path; `{name}` stands for one percent-encoded segment. */
  readonly path: string
  readonly auth: RouteAuth
  /** Whether the query must be exactly `i-am-sure=true` (specification section 4.4). */
  readonly guard: boolean
  /** What else the query may hold, each at most once and with one of these values. */
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

/** Prefix of every call of the specification (section 1.7). */
export const basePath = '/api/v2'

/** The query parameter that guards what changes things, and its one value (specification section 4.4). */
export const guardParameter = 'i-am-sure'
