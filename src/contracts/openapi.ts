import type { Component } from './component.ts'
import { ErrorPayload, envelope, responseSchema } from './envelope.ts'
import { commonExamples } from './examples/commonExamples.ts'
import { connectorExamples } from './examples/connectorExamples.ts'
import type { CallExample } from './examples/examplesOf.ts'
import { managerExamples } from './examples/managerExamples.ts'
import { replicatorExamples } from './examples/replicatorExamples.ts'
import { collectSchemas, type SchemaCollection, wrapperName } from './namedSchemas.ts'
import type {
  Content,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from './openApiTypes.ts'
import { type ProblemCode, problems } from './problems.ts'
import { accessFor, guardParameter, type Route, tags } from './route.ts'

const own: Readonly<Record<Component, Readonly<Record<string, CallExample>>>> = {
  manager: managerExamples,
  connector: connectorExamples,
  replicator: replicatorExamples,
}

/** Returns the examples of a component's calls, by the names of their routes. */
const callExamples = (component: Component): Readonly<Record<string, CallExample>> => ({
  ...commonExamples(component),
  ...own[component],
})

/** Context shared by the parts of one document. */
type At = {
  readonly schemas: SchemaCollection
  readonly component: Component
  readonly examples: Readonly<Record<string, CallExample>>
}

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
    ...(route.auth === 'basic' || route.auth === 'bootstrap' || route.auth === 'host'
      ? (['login-required', 'login-refused', 'locked-out', 'busy', 'not-ready'] as const)
      : []),
    ...(route.auth === 'basic' || route.auth === 'host' ? (['no-user'] as const) : []),
    ...((accessFor(route) ?? 'read') === 'read' ? [] : (['access-level'] as const)),
    ...(route.response.kind === 'events' ? (['busy'] as const) : []),
    'not-acceptable',
    'request-timeout',
    'unknown-host',
    'headers-too-large',
    'internal',
    'stopping',
    ...route.problems,
  ]
}

function errorResponses(route: Route): Readonly<Record<string, OpenApiResponse>> {
  const codes = [...new Set(problemsOf(route))]
  const statuses = [...new Set(codes.map((code) => problems[code].status))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const here = codes.filter((code) => problems[code].status === status)
      const description = here.map((code) => `- \`${code}\`: ${problems[code].title}.`).join('\n')
      return [String(status), { $ref: '#/components/responses/Problem', description }]
    }),
  )
}

function contentOf({ name, response }: Route, { schemas, examples }: At): Content {
  const content = examples[name]?.response
  const example = content === undefined ? {} : { example: content }
  switch (response.kind) {
    case 'payload': {
      const { payloadType, payload } = response
      const schema = schemas.refer(responseSchema(payloadType, payload), wrapperName(payload, 'Response'))
      const wrapped = content === undefined ? {} : { example: envelope(payloadType, content) }
      return { 'application/json': { schema, ...wrapped } }
    }
    case 'json':
      return { 'application/json': { schema: schemas.refer(response.schema), ...example } }
    case 'events': {
      const { payloadType, payload } = response
      const schema = {
        type: 'string',
        description: 'Server-sent events. The `data` of each is one line of JSON.',
        contentMediaType: 'application/json',
        contentSchema: schemas.refer(responseSchema(payloadType, payload), wrapperName(payload, 'Response')),
      }
      const event = `id: 5f0c9a1be2d34478-17\ndata: ${JSON.stringify(envelope(payloadType, content))}\n\n`
      return { 'text/event-stream': { schema, ...(content === undefined ? {} : { example: event }) } }
    }
    case 'text':
      return { [response.mediaType]: { schema: { type: 'string' }, ...example } }
  }
}

/** Path parameters: description and example. */
const pathParameterTexts: Readonly<Record<string, readonly [description: string, example: string]>> = {
  user: ['Name of a user of this host.', 'admin'],
  service: ['Name of a service.', 'alpha'],
  datasource: ['Name of a data source of the service.', 'db2'],
  change: ['Id of a change that another manager leads.', '5b1c2c8e-0f5e-4b3c-8a51-0d7c1f7c9a11'],
  task: ['Id of a task, as the call that began it returned it.', '1f0ff1f0-93f6-4b1c-8f0e-3f1a5b8b0c55'],
}
const replicationService =
  'Name of a replication service, as `services` lists it; on MariaDB and MySQL its replication channel.'

function pathParameters({ path }: Route, { component }: At): readonly OpenApiParameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const [words, example] = pathParameterTexts[name] ?? []
    const description = component === 'replicator' && name === 'service' ? replicationService : words
    return {
      name,
      in: 'path',
      required: true,
      description: description ?? `Name of the ${name}.`,
      schema: { type: 'string' },
      ...(example !== undefined && { example }),
    }
  })
}

const guard: OpenApiParameter = {
  name: guardParameter,
  in: 'query',
  required: true,
  description: 'Confirms a call that changes something. Without it the call is refused and changes nothing.',
  schema: { type: 'string', const: 'true' },
  example: 'true',
}

const queryParameters = ({ query = {} }: Route): readonly OpenApiParameter[] =>
  Object.entries(query).map(([name, { values, description }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: { type: 'string', ...('pattern' in values ? values : { enum: values }) },
  }))

const lastEventId: OpenApiParameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description:
    'Id of the last event that the caller received; without it, and for an unknown one, all begins anew.',
  schema: { type: 'string' },
}

const security: Readonly<Record<Route['auth'], OpenApiOperation['security']>> = {
  none: [],
  optional: [{}, { basic: [] }],
  bootstrap: [{}, { basic: [] }],
  basic: [{ basic: [] }],
  host: [{ basic: [] }],
}

function requestBody({ name, request }: Route, { schemas, examples }: At): Partial<OpenApiOperation> {
  if (request === null) return {}
  const payload = Reflect.get(Reflect.get(request, 'properties') ?? {}, 'payload')
  const schema = schemas.refer(request, wrapperName(payload, 'Request'))
  const example = examples[name]?.request
  const content = { 'application/json': { schema, ...(example === undefined ? {} : { example }) } }
  return { requestBody: { required: true, content } }
}

/** Names the access level of a call, which OpenAPI has no member for with HTTP Basic. */
function describeAccess(route: Route): Pick<OpenApiOperation, 'description'> {
  const level = accessFor(route)
  return level === undefined ? {} : { description: `Access level: \`${level}\`.` }
}

function operation(route: Route, at: At): OpenApiOperation {
  const unready = route.response.kind === 'text' && route.response.unready
  const text = { 'text/plain': { schema: { type: 'string' }, example: 'unready\n' } }
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    ...describeAccess(route),
    security: security[route.auth],
    parameters: [
      ...pathParameters(route, at),
      ...(route.guard ? [guard] : []),
      ...queryParameters(route),
      ...(route.response.kind === 'events' ? [lastEventId] : []),
    ],
    ...requestBody(route, at),
    responses: {
      '200': { description: 'Success.', content: contentOf(route, at) },
      ...errorResponses(route),
      ...(unready ? { '503': { description: 'Not ready.', content: text } } : {}),
    },
  }
}

function problemResponse({ refer }: SchemaCollection): OpenApiResponse {
  const example: ErrorPayload = {
    status: 404,
    code: 'not-found',
    title: problems['not-found'].title,
    detail: 'Use the call uris to list all resources.',
    requestId: 'cf1f4a3e-5d0c-4b8e-9d57-1f6d2f0a4b11',
    errors: [],
  }
  return {
    description: 'An error.',
    content: {
      'application/json': {
        schema: refer(responseSchema('ErrorPayload', ErrorPayload), 'ErrorResponse'),
        example: envelope('ErrorPayload', example),
      },
      'application/problem+json': { schema: refer(ErrorPayload), example },
    },
  }
}

const describe = (component: Component): string =>
  `REST API of the ${component} of one host. Users belong to that host; calls log in with HTTP Basic. Each user has an access level: \`read\` may GET, \`operate\` may also change states, \`full\` may do everything. Each call names the lowest one that it needs.

POST calls make changes and need the query parameter \`${guardParameter}=true\`. A repeated call returns \`changed: false\`.

Responses have an envelope: \`payloadType\`, \`payloadVersion\` and \`payload\`. An error has a stable \`code\` for programs and a \`detail\` for people; with \`Accept: application/problem+json\` it comes without envelope (RFC 9457).`

/** Returns the OpenAPI 3.1 document of one component, made of the routes that it serves and nothing else. */
export function openApiDocument(facts: {
  readonly component: Component
  readonly version: string
  readonly routes: readonly Route[]
  /** Base URL of the component, such as `https://db1:8090`. */
  readonly server: string
}): OpenApiDocument {
  const { component, version, routes, server } = facts
  const at: At = { schemas: collectSchemas(), component, examples: callExamples(component) }
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, at) }
  }
  const used = new Set(routes.map(({ tag }) => tag))
  const responses = { Problem: problemResponse(at.schemas) }
  return {
    openapi: '3.1.0',
    info: {
      title: `APIv2 of the ${component}`,
      version,
      summary: `The REST API of the ${component}`,
      description: describe(component),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server, description: `The ${component} that serves this document` }],
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name as Route['tag']))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'User and password of this host, in UTF-8.' },
      },
      responses,
      schemas: at.schemas.all(),
    },
  }
}
