import { basePath, guardParameter } from '../contracts/route.ts'
import { Secret } from '../secrets/secret.ts'
import type { CallAudit } from './audit/auditCalls.ts'
import { authenticate } from './authenticate.ts'
import { checkBody, readBody } from './requestBody.ts'
import type { RequestContext } from './requestContext.ts'
import { rejectHeaders } from './requestHeaders.ts'
import { type Response, successResponse } from './response.ts'
import type { Call } from './serve.ts'
import {
  authFor,
  joinedHeader,
  type ListenerRules,
  noQuery,
  ownOrigin,
  rejectUntrusted,
  routeFor,
  validateRequest,
} from './validateRequest.ts'

/** Context shared by all requests of one listener. */
export type ListenerContext = ListenerRules & { readonly audit: CallAudit }

/** The query was checked: what is left beside the guard are texts that the route names. */
const ownQuery = (query: Readonly<Record<string, unknown>>): Call['query'] =>
  query === noQuery
    ? {}
    : Object.fromEntries(
        Object.entries(query as Record<string, string>).filter(([name]) => name !== guardParameter),
      )

/** Validates a request, runs its call and returns the response. Throws problems. */
export async function handleRequest(
  requestContext: RequestContext,
  facts: ListenerContext,
): Promise<Response> {
  const { request, match, query, auditEntry } = requestContext
  rejectHeaders(request.rawHeaders)
  rejectUntrusted(requestContext, facts)
  const asked = routeFor(requestContext)
  const caller = await authenticate(requestContext, authFor(requestContext, asked), facts)
  requestContext.caller = caller
  const action = validateRequest(requestContext, asked, caller)
  if (action.kind === 'options') {
    return { status: 204, body: '', headers: ['Allow', action.allow] }
  }
  const { served } = action
  const { route, handle } = served
  const body = route.method === 'POST' ? checkBody(route, await readBody(request)) : undefined
  if (auditEntry) await facts.audit.start(auditEntry)
  const call: Call = {
    params: match?.params ?? {},
    body: body ?? null,
    query: ownQuery(query),
    baseUrl: `${ownOrigin(facts.listener, requestContext.host)}${basePath}`,
    caller,
    authorization:
      request.headers.authorization === undefined ? undefined : new Secret(request.headers.authorization),
    lastEventId: joinedHeader(request.headers['last-event-id']),
    audit: (more) => {
      if (!auditEntry) return
      const { facts: earlier } = auditEntry
      const parameters = more.parameters && { ...earlier.parameters, ...more.parameters }
      auditEntry.facts = { ...earlier, ...more, ...(parameters && { parameters }) }
    },
  }
  const value = await handle(call, facts.context)
  if (auditEntry) auditEntry.payload = value
  return successResponse(route.response, value)
}
