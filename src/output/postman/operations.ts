/** A call in an OpenAPI document. */
export type Operation = {
  readonly method: 'GET' | 'POST'
  /** With its parameters in braces. */
  readonly path: string
  readonly summary: string
  /** Names the access level; empty where none is needed. */
  readonly description: string
  /** The call accepts a login. */
  readonly login: boolean
  /** Name and value of the required query parameter. */
  readonly guard?: { readonly name: string; readonly value: string }
  /** Optional query parameters. */
  readonly query: readonly { readonly name: string; readonly value: string; readonly description: string }[]
  readonly takesBody: boolean
  /** Media type and, if any, payloadType of a successful response. */
  readonly answer: { readonly mediaType: string; readonly payloadType?: string }
  /** Problem codes of a host on which the call does not apply, such as calls for replicas on a primary. */
  readonly inapplicable: readonly string[]
}

type Json = Readonly<Record<string, unknown>>

const object = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(object) : [])

const below = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((found, name) => object(found)[name], value)

/** Resolves a local reference; returns other values unchanged. */
function followed(document: unknown, value: unknown): unknown {
  const reference = object(value).$ref
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return value
  return below(document, ...reference.slice(2).split('/'))
}

function answerOf(operation: Json, document: unknown): Operation['answer'] {
  const content = object(below(operation, 'responses', '200', 'content'))
  const [mediaType = ''] = Object.keys(content)
  const payloadType = below(
    followed(document, below(content[mediaType], 'schema')),
    ...['properties', 'payloadType', 'const'],
  )
  return { mediaType, ...(typeof payloadType === 'string' && { payloadType }) }
}

const inapplicableCodes: readonly string[] = ['no-database', 'not-configured']

function inapplicableOf(operation: Json): readonly string[] {
  const description = String(below(operation, 'responses', '409', 'description') ?? '')
  return inapplicableCodes.filter((code) => description.includes(`\`${code}\``))
}

function readOperation(
  { method, path }: Pick<Operation, 'method' | 'path'>,
  operation: Json,
  document: unknown,
): Operation {
  const parameters = list(operation.parameters).filter((it) => it.in === 'query')
  const [guard] = parameters.filter(({ required }) => required === true)
  const security = Array.isArray(operation.security) ? operation.security : []
  return {
    method,
    path,
    summary: String(operation.summary ?? ''),
    description: String(operation.description ?? ''),
    login: security.some((way) => 'basic' in object(way)),
    ...(guard && { guard: { name: String(guard.name), value: String(below(guard, 'schema', 'const')) } }),
    query: parameters
      .filter(({ required }) => required !== true)
      .map(({ name, description, schema }) => {
        const values = object(schema).enum
        const value = Array.isArray(values) ? String(values[0]) : ''
        return { name: String(name), value, description: String(description ?? '') }
      }),
    takesBody: 'requestBody' in operation,
    answer: answerOf(operation, document),
    inapplicable: inapplicableOf(operation),
  }
}

/** Lists the calls of an OpenAPI document in its order; empty for other documents. */
export function operationsOf(document: unknown): readonly Operation[] {
  return Object.entries(object(below(document, 'paths'))).flatMap(([path, methods]) =>
    (['get', 'post'] as const)
      .filter((method) => method in object(methods))
      .map((method) =>
        readOperation(
          { method: method === 'get' ? 'GET' : 'POST', path },
          object(object(methods)[method]),
          document,
        ),
      ),
  )
}
