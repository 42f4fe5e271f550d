import type { IncomingMessage } from 'node:http'
import type { AuditEntry } from './audit/auditEntry.ts'
import type { Caller } from './caller.ts'
import type { RequestTarget, RouteMatch } from './routeTable.ts'

/** One request and what is known of it so far. */
export type RequestContext = {
  readonly request: IncomingMessage
  readonly requestId: string
  readonly method: string
  /** Path without query, with unreserved characters decoded. */
  readonly path: string
  /** Scheme and authority of a target in absolute form. */
  readonly targetOrigin: RequestTarget['origin']
  /** Host that the caller names, with or without port: the target's, else the Host header's. */
  readonly host: string | undefined
  /** Its query, decoded; a member that came twice is a list. */
  readonly query: Readonly<Record<string, unknown>>
  /** Resource at the path. */
  readonly match: RouteMatch | undefined
  /** Absent on the Unix socket. */
  readonly remoteAddress: string | undefined
  /** Set once the login has been checked. */
  caller: Caller | null
  /** Set for the calls of the audit log. */
  readonly auditEntry: AuditEntry | null
}
