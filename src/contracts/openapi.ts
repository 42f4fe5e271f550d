import type { TSchema } from 'typebox'
import type { Component } from './component.ts'
import { answerSchema, ErrorPayload } from './envelope.ts'
import { type ProblemCode, problems } from './problems.ts'
import { guardParameter, type Route } from './route.ts'

type Json = { readonly [member: string]: unknown }

/** Problems that a call has because of what kind of call it is, beside its own. */
function problemsOf(route: Route): readonly ProblemCode[] {
  return [
    'bad-request',
    'unknown-query',
    ...(route.query ? (['invalid-query'] as const) : []),
    ...(route.guard ? (['not-confirmed', 'cross-site', 'audit-failed', 'audit-unavailable'] as const) : []),
    ...(route.method === 'POST'
      ? (['malformed-json', 'invalid-body', 'body-too-large', 'not-json'] as const)
      : []),
    ...(route.auth === 'basic' || route.auth === 'bootstrap'
      ? (['login-required', 'login-refused', 'locked-out', 'busy', 'not-ready'] as const)
      : []),
    ...(route.auth === 'basic' ? (['no-user'] as const) : []),
    'not-acceptable',
    'request-timeout',
    'unknown-host',
    'headers-too-large',
    'internal',
    'stopping',
    ...route.problems,
  ]
}

function errorResponses(route: Route): Json {
  const codes = [...new Set(problemsOf(route))]
  const statuses = [...new Set(codes.map((code) => problems[code].status))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const here = codes.filter((code) => problems[code].status === status)
      const description = here.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' ')
      return [String(status), { $ref: '#/components/responses/Problem', description }]
    }),
  )
}

function content(route: Route): Json {
  const { response } = route
  switch (response.kind) {
    case 'payload':
      return { 'application/json': { schema: answerSchema(response.payloadType, response.payload) } }
    case 'json':
      return { 'application/json': { schema: response.schema } }
    case 'text':
      return { [response.mediaType]: { schema: { type: 'string' } } }
  }
}

const pathParameters = (path: string): readonly Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

const guard = { name: guardParameter, in: 'query', required: true, schema: { type: 'string', const: 'true' } }

const queryParameters = ({ query = {} }: Route): readonly Json[] =>
  Object.entries(query).map(([name, { values, description }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: { type: 'string', enum: values },
  }))

const security: Readonly<Record<Route['auth'], readonly Json[]>> = {
  none: [],
  optional: [{}, { basic: [] }],
  bootstrap: [{}, { basic: [] }],
  basic: [{ basic: [] }],
}

function operation(route: Route): Json {
  const unready = route.response.kind === 'text' && route.response.unready
  return {
    operationId: route.name,
    summary: route.summary,
    security: security[route.auth],
    parameters: [...pathParameters(route.path), ...(route.guard ? [guard] : []), ...queryParameters(route)],
    ...(route.request
      ? { requestBody: { required: true, content: { 'application/json': { schema: route.request } } } }
      : {}),
    responses: {
      '200': { description: 'Done.', content: content(route) },
      ...errorResponses(route),
      ...(unready ? { '503': { description: 'Not ready.', content: content(route) } } : {}),
    },
  }
}

const problem = (schema: TSchema): Json => ({
  description: 'An error.',
  content: {
    'application/json': { schema: answerSchema('ErrorPayload', schema) },
    'application/problem+json': { schema },
  },
})

/** The OpenAPI 3.1 document of one component, made of the routes that it serves and nothing else. */
export function openApiDocument(facts: {
  readonly component: Component
  readonly version: string
  readonly routes: readonly Route[]
}): Json {
  const paths: Record<string, Json> = {}
  for (const route of facts.routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: `APIv2 of the ${facts.component}`, version: facts.version },
    paths,
    components: {
      securitySchemes: { basic: { type: 'http', scheme: 'basic' } },
      responses: { Problem: problem(ErrorPayload) },
    },
  }
}
