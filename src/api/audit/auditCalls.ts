import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ProblemCode } from '../../contracts/problems.ts'
import type { Route } from '../../contracts/route.ts'
import type { Door } from '../authenticate.ts'
import { routesOfPath } from '../matchPath.ts'
import { answerHeaders, problemAnswer } from '../problemAnswer.ts'
import { ProblemError } from '../problemError.ts'
import { pathOf } from '../requestPath.ts'
import type { Audit } from './audit.ts'
import type { AuditFacts } from './auditLine.ts'

/** What is known so far of a state-changing call, for its line. */
export type Trail = {
  readonly route: Route
  facts: AuditFacts
  /** Whether the call was begun: before that nothing can have changed. */
  begun: boolean
  /** Code of the problem that it is answered with. */
  code?: ProblemCode
  payload?: unknown
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for the calls that the audit log tells of. */
    trail: Trail | null
  }
}

const unavailable = (): ProblemError =>
  new ProblemError({
    code: 'audit-unavailable',
    detail:
      'A change that the audit log does not tell of is worse than none, so nothing was changed. The log of the ' +
      'server and its readiness say what is wrong with the audit log.',
  })

const failed = (): ProblemError =>
  new ProblemError({
    code: 'audit-failed',
    detail:
      'The call was carried out. Its line for the audit log is kept and stands in the log of the server; until it ' +
      'is written, nothing more is changed.',
  })

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The member `changed` of a payload; of a map or list, whether any of its entries changed. */
function changedOf(payload: unknown): boolean | null {
  if (!isObject(payload)) return null
  const own: unknown = Reflect.get(payload, 'changed')
  if (typeof own === 'boolean') return own
  const entries = Object.values(payload).map((it) => (isObject(it) ? Reflect.get(it, 'changed') : undefined))
  const told = entries.filter((it) => typeof it === 'boolean')
  return told.length > 0 ? told.includes(true) : null
}

function hasChanged({ begun, facts, payload }: Trail, status: number): boolean | null {
  if (!begun) return false
  if (facts.changed !== undefined) return facts.changed
  if (status < 400) return changedOf(payload)
  return status < 500 ? false : null
}

const pathParameters = ({ params }: FastifyRequest): object => (isObject(params) ? params : {})

/** Gives every state-changing call its line in the audit log, written before its answer is sent. */
export function auditCalls(
  app: FastifyInstance,
  options: { readonly audit: Audit; readonly routes: readonly Route[]; readonly door: Door },
): void {
  const { audit, routes, door } = options
  const changing = routes.filter(({ method }) => method === 'POST')

  const record = (request: FastifyRequest, status: number, trail: Trail): Promise<boolean> => {
    const { changed: _changed, parameters, ...states } = trail.facts
    const entry = {
      ...states,
      parameters: { ...pathParameters(request), ...parameters },
      requestId: request.id,
      door,
      peer: request.ip,
      caller: request.caller,
      call: trail.route.name,
      status,
      code: trail.code,
      changed: hasChanged(trail, status),
    }
    return audit.record(entry, { carriedOut: trail.begun })
  }

  const answerFailure = (request: FastifyRequest, reply: FastifyReply): Buffer => {
    const { accept } = request.headers
    const answer = problemAnswer({ problem: failed(), requestId: request.id, accept })
    reply.code(answer.status).headers({ ...answerHeaders(request.id), ...answer.headers })
    return Buffer.from(answer.body)
  }

  app.addHook('onRequest', async (request) => {
    if (request.method !== 'POST') return
    const [route] = routesOfPath(changing, pathOf(request))
    if (route) request.trail = { route, facts: {}, begun: false }
  })
  app.addHook('preHandler', async ({ trail }) => {
    if (!trail) return
    if (!(await audit.isReady())) throw unavailable()
    trail.begun = true
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const { trail } = request
    if (!trail || (await record(request, reply.statusCode, trail))) return payload
    // Another failure is told as it is: only who is told of a success would rely on its line.
    return trail.begun && reply.statusCode < 400 ? answerFailure(request, reply) : payload
  })
}
