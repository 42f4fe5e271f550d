import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { addRoute } from './addRoute.ts'
import { admit } from './admit.ts'
import type { ApiContext } from './apiContext.ts'
import { auditCalls } from './audit/auditCalls.ts'
import type { Door } from './authenticate.ts'
import { type Answer, answerHeaders, problemAnswer } from './problemAnswer.ts'
import { ProblemError } from './problemError.ts'
import { refuseHeaders } from './refuseHeaders.ts'
import { pathOf, routeOf } from './requestPath.ts'
import type { Caller, ServedRoute } from './serve.ts'
import { createHttpServer, type ServerLimits, type TlsMaterial } from './server.ts'
import { parseStrictJson } from './strictJson.ts'
import { toProblem } from './toProblem.ts'

/** Largest body, in bytes. */
export const bodyLimit = 64 * 1024

declare module 'fastify' {
  interface FastifyRequest {
    /** Who makes the call; set once it is let in. */
    caller: Caller | null
  }
}

function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  // As bytes: to text Fastify would add a charset, which application/problem+json does not have.
  return reply.code(status).headers(headers).send(Buffer.from(body))
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { trail } = request
  const isGone = error === request.raw.errored
  const problem = isGone
    ? new ProblemError({ code: 'bad-request', detail: 'The connection broke off within the body.' })
    : toProblem(error)
  if (trail) trail.code = problem.code
  if (isGone) request.log.info('the caller went away')
  if (problem.code === 'internal') request.log.error({ err: error }, 'a fault of the server')
  if (problem.code === 'not-ready') request.log.error({ reason: String(error) }, 'not ready')
  return send(reply, problemAnswer({ problem, requestId: request.id, accept: request.headers.accept }))
}

/**
 * One door of a component's API as a Fastify application that does not listen yet: `inject` calls it without
 * a socket. With `tls` its server speaks HTTPS, without it plain HTTP.
 */
export function createApp(options: {
  readonly served: readonly ServedRoute[]
  readonly context: ApiContext
  readonly door: Door
  readonly log: FastifyBaseLogger
  readonly tls?: TlsMaterial
  readonly limits?: Partial<ServerLimits>
}): FastifyInstance {
  const { context, door, tls, limits } = options
  const app: FastifyInstance = Fastify({
    loggerInstance: options.log.child({ door }),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    serverFactory: (listener) =>
      createHttpServer({ listener, tls, limits, newRequestId: context.newRequestId }),
    genReqId: context.newRequestId,
    bodyLimit,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4096 },
    ajv: {
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: true },
    },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
  })

  app.decorateRequest('caller', null)
  app.decorateRequest('trail', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      // Clients name the type of what they might have sent: a call that takes nothing gets nothing.
      const isNone = body.length === 0 && request.routeOptions.schema?.body === undefined
      done(null, isNone ? undefined : parseStrictJson(Buffer.from(body)))
    } catch (error) {
      done(toProblem(error))
    }
  })
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))

  if (context.audit) auditCalls(app, { audit: context.audit, routes: context.routes, door })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(answerHeaders(request.id))
    refuseHeaders(request.raw.rawHeaders)
    const { method, ip: peer, headers } = request
    const query = request.query as Record<string, unknown>
    const admission = await admit({ method, path: pathOf(request), query, headers, peer }, { door, context })
    if (admission.kind === 'options') return reply.code(204).header('Allow', admission.allow).send()
    // Both must mean the same route: one says who may call it, the other what it does.
    if (routeOf(request) !== admission.route.path) {
      throw new ProblemError({
        code: 'not-found',
        detail: 'Write the path without escapes that it does not need.',
      })
    }
    request.caller = admission.caller
    return undefined
  })
  app.addHook('onSend', async (_request, reply) => {
    // A connection kept open would keep a stopping server waiting for it.
    if (context.isStopping()) reply.header('Connection', 'close')
  })
  app.addHook('onResponse', async (request, reply) => {
    const call = { route: routeOf(request), method: request.method, status: reply.statusCode }
    context.counts.count({ ...call, seconds: reply.elapsedTime / 1000 })
    const caller = request.caller?.kind === 'user' ? { user: request.caller.user } : {}
    const milliseconds = Math.round(reply.elapsedTime)
    const line = {
      ...call,
      path: pathOf(request),
      peer: request.ip,
      ...caller,
      milliseconds,
    }
    request.log.info(line, 'call')
  })

  for (const served of options.served) addRoute(app, { served, context, door })
  return app
}
