/** A call of an API as its OpenAPI document describes it. */
export type Operation = {
  readonly method: 'GET' | 'POST'
  /** With its parameters in braces. */
  readonly path: string
  readonly summary: string
  /** Whether a login may be sent. */
  readonly login: boolean
  /** Name of the query parameter that has to be there, and its value. */
  readonly guard?: { readonly name: string; readonly value: string }
  /** Query parameters that may be left out. */
  readonly query: readonly { readonly name: string; readonly value: string; readonly description: string }[]
  readonly takesBody: boolean
  /** What a good answer is: its media type, and its payloadType where it has one. */
  readonly answer: { readonly mediaType: string; readonly payloadType?: string }
  /** Codes with which a host refuses it that is not made for it, such as a primary the calls of a replica. */
  readonly inapplicable: readonly string[]
}

type Json = Readonly<Record<string, unknown>>

const object = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(object) : [])

const below = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((found, name) => object(found)[name], value)

/** What a local reference names; anything else as it is. */
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

const inapplicableCodes: readonly string[] = ['no-database', 'not-configured', 'follows-manager']

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

/** Every call of an OpenAPI document, in its order; what is no such document has none. */
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
