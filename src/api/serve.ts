import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TSchema } from 'typebox'
import type { Events } from '../base/eventStreams.ts'
import type { Component } from '../contracts/component.ts'
import { dryRun, type Route } from '../contracts/route.ts'
import type { ReadonlyStatic } from '../contracts/schemaParts.ts'
import type { Secret } from '../secrets/secret.ts'
import type { ApiContext } from './apiContext.ts'
import type { AuditFacts } from './audit/auditEntry.ts'
import type { Caller } from './caller.ts'
import type { MetricFamily } from './metricFamilies.ts'
import type { TextResponse } from './response.ts'

/** A valid call: its body matches the schema of the route. */
export type Call<Body = unknown> = {
  /** Percent-decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly body: Body
  /** Members of the query beside the guard, each with a value that the route names. */
  readonly query: Readonly<Record<string, string>>
  /** `{base_url}` as the caller used it, such as `https://db1:8090/api/v2`. */
  readonly baseUrl: string
  readonly caller: Caller
  /** Authorization header that the call came with; for a call that is passed on. */
  readonly authorization: Secret | undefined
  /** Header Last-Event-ID as it came, of a caller whose stream of events broke off. */
  readonly lastEventId: string | undefined
  /** Hands facts on to the audit log, at any time before the call ends; later ones are added to earlier ones. */
  readonly audit: (facts: AuditFacts) => void
}

/** Returns true for a change that is only to be checked. */
export const isDry = ({ query }: { readonly query: Readonly<Record<string, unknown>> }): boolean =>
  query.dry === dryRun.dry.values[0]

type BodyOf<R extends Route> = R['request'] extends TSchema ? ReadonlyStatic<R['request']> : null

type ResponseOf<R extends Route> = R['response'] extends { readonly kind: 'events' }
  ? Events
  : R['response'] extends { readonly payload: infer Payload extends TSchema }
    ? ReadonlyStatic<Payload>
    : R['response'] extends { readonly kind: 'text' }
      ? TextResponse
      : unknown

/** A route and its handler, which returns the payload, the JSON or the text and throws problems. */
export type ServedRoute = {
  readonly route: Route
  readonly handle: (call: Call, context: ApiContext) => unknown
}

/** Pages beside the calls, for browsers; they answer requests by themselves, within the limits of the listener. */
export type ServedPages = {
  /** Returns true for a target that is theirs. */
  isFor(target: string): boolean
  /** Answers a request; `onKnown` is called once it is seen to be that of somebody who logged in. */
  handle(request: IncomingMessage, response: ServerResponse, onKnown: () => void): void
  close(): void
}

/** API of one component. */
export type ComponentApi = {
  readonly component: Component
  readonly served: readonly ServedRoute[]
  /** Served on the Unix socket alone, for the other components of the host. */
  readonly local?: readonly ServedRoute[]
  /** Served on the Unix socket and to other hosts of the cluster, by the authentication `host`. */
  readonly peers?: readonly ServedRoute[]
  /** Opens the pages of the TCP listener. */
  readonly pages?: (context: ApiContext) => ServedPages
  /** Called for each GET of /metrics; returns at once what is known already. */
  readonly metrics?: () => readonly MetricFamily[]
}

/** Joins a route to its handler; the types of body and payload follow from the route. */
export const serve = <R extends Route>(
  route: R,
  handle: (call: Call<BodyOf<R>>, context: ApiContext) => ResponseOf<R> | Promise<ResponseOf<R>>,
): ServedRoute => ({
  route,
  // The body was checked against the route's schema before any call gets here.
  handle: (call, context) => handle(call as Call<BodyOf<R>>, context),
})
