import type { Listener } from '../caller.ts'
import { ProblemError } from '../problemError.ts'
import type { RequestContext } from '../requestContext.ts'
import { problemResponse, type Response } from '../response.ts'
import type { RouteMatch } from '../routeTable.ts'
import { isDry } from '../serve.ts'
import type { Audit } from './audit.ts'
import { type AuditEntry, hasChanged } from './auditEntry.ts'

/** Writes a line of the audit log for every state-changing call, before its response is sent. */
export type CallAudit = {
  /** Returns the entry of a request; null for one that the audit log leaves out. */
  entryFor(method: string, match: RouteMatch | undefined): AuditEntry | null
  /** Marks that the call starts; throws a problem where its line could not be written. */
  start(entry: AuditEntry): Promise<void>
  /** Writes the line of a call with this response, and returns the response that may be sent. */
  record(context: RequestContext, entry: AuditEntry, response: Response): Promise<Response>
}

const unavailable = (): ProblemError =>
  new ProblemError({
    code: 'audit-unavailable',
    detail:
      'Nothing was changed, because the audit log cannot be written. The log of the server and /health/ready ' +
      'show the reason.',
  })

const failed = (): ProblemError =>
  new ProblemError({
    code: 'audit-failed',
    detail:
      'The call succeeded, but its line could not be written to the audit log. The server logs the line and keeps ' +
      'it. It refuses further changes until the line is written.',
  })

/** Writes the audit log of the calls of one listener; without a log it does nothing. */
export function auditCalls(audit: Audit | undefined, listener: Listener): CallAudit {
  return {
    entryFor(method, match) {
      if (!audit || method !== 'POST') return null
      const served = match?.resource.served.find(({ route }) => route.method === 'POST')
      return served ? { route: served.route, facts: {}, started: false } : null
    },

    async start(entry) {
      if (audit && !(await audit.isReady())) throw unavailable()
      entry.started = true
    },

    async record(context, entry, response) {
      const { request, requestId, match, caller, remoteAddress } = context
      const { changed: _changed, parameters, ...states } = entry.facts
      const { status } = response
      const record = {
        ...states,
        parameters: { ...match?.params, ...(isDry(context) && { dry: 'yes' }), ...parameters },
        requestId,
        door: listener,
        peer: remoteAddress,
        caller,
        call: entry.route.name,
        status,
        code: entry.code,
        changed: isDry(context) ? false : hasChanged(entry, status),
      }
      // What a host is refused changed nothing, and is counted as what a stranger is refused.
      const isRefused = caller?.kind === 'host' && status >= 400 && status < 500
      const executed = entry.started && !isRefused
      if (!audit || (await audit.record(record, { executed }))) return response
      // Another failure is sent as it is: only who sees a success would rely on its line.
      if (!entry.started || status >= 400) return response
      return problemResponse({ problem: failed(), requestId, accept: request.headers.accept })
    },
  }
}
