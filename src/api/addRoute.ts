import type { FastifyInstance, FastifyRequest } from 'fastify'
import { envelope } from '../contracts/envelope.ts'
import { basePath, guardParameter } from '../contracts/route.ts'
import { ownOrigin } from './admit.ts'
import type { ApiContext } from './apiContext.ts'
import type { Door } from './authenticate.ts'
import { ProblemError } from './problemError.ts'
import type { Call, ServedRoute, TextAnswer } from './serve.ts'

/** The query was checked: what is left beside the guard are texts that the route names. */
const ownQuery = ({ query }: FastifyRequest): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(query as Record<string, string>).filter(([name]) => name !== guardParameter),
  )

function callOf(request: FastifyRequest, door: Door): Call {
  const { trail } = request
  return {
    params: request.params as Record<string, string>,
    body: request.body ?? null,
    query: ownQuery(request),
    baseUrl: `${ownOrigin(door, request.headers.host)}${basePath}`,
    caller: request.caller ?? { kind: 'anonymous' },
    audit: (facts) => {
      if (trail) trail.facts = { ...trail.facts, ...facts }
    },
  }
}

/** Refuses what a call would have to pass over in silence. */
function refuseBody({ body }: FastifyRequest): void {
  if (body === undefined || body === null) return
  const [member] = typeof body === 'object' && !Array.isArray(body) ? Object.keys(body) : ['']
  if (member === undefined) return
  throw new ProblemError({
    code: 'invalid-body',
    detail: 'This call takes no body: what stands in it would have no effect.',
    errors: [{ path: member && `/${member}`, message: 'does not belong here' }],
  })
}

/** Serves a route through a door: hands its calls on and sends the answers in the form that the route names. */
export function addRoute(
  app: FastifyInstance,
  options: { readonly served: ServedRoute; readonly context: ApiContext; readonly door: Door },
): void {
  const { served, context, door } = options
  const { route, handle } = served
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(route.request
      ? { schema: { body: route.request } }
      : { preValidation: async (request) => refuseBody(request) }),
    handler: async (request, reply) => {
      const answer = await handle(callOf(request, door), context)
      const { trail } = request
      if (trail) trail.payload = answer
      const { response } = route
      if (response.kind === 'text') {
        const { status, text } = answer as TextAnswer
        const type = [response.mediaType, response.parameters ?? [], 'charset=utf-8'].flat().join('; ')
        return reply.code(status).type(type).send(text)
      }
      const body = response.kind === 'payload' ? envelope(response.payloadType, answer) : answer
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
    },
  })
}
