import { type DocumentSchema, schemaCheck } from './schemaCheck.ts'

/** What a test saw of an answer. */
export type SeenAnswer = {
  readonly method: string
  /** As it was asked for, with or without a query. */
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, number | string | readonly string[] | undefined>>
  readonly body: string
}

type Content = Readonly<Record<string, { readonly schema: DocumentSchema }>>
type Response = { readonly description: string; readonly content?: Content; readonly $ref?: string }
type Operation = { readonly responses: Readonly<Record<string, Response>> }

/** As much of an OpenAPI document as the check reads. */
export type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly responses: { readonly Problem: Response }; readonly schemas?: object }
}

export type AnswerCheck = (answer: SeenAnswer) => void

const matches = (template: string, path: string): boolean => {
  const [wanted, given] = [template.split('/'), path.split('/')]
  return (
    wanted.length === given.length && wanted.every((part, at) => part.startsWith('{') || part === given[at])
  )
}

const text = (value: SeenAnswer['headers'][string]): string => (value === undefined ? '' : String(value))

const checks = new Map<string, AnswerCheck>()

/** Returns the check of a document; documents that say the same have one, for its schemas take long to compile. */
export function answerCheck({ paths, components }: ApiDocument): AnswerCheck {
  const key = JSON.stringify([paths, components])
  const check = checks.get(key) ?? makeCheck({ paths, components })
  checks.set(key, check)
  return check
}

/**
 * Makes a check that throws when an answer is none that the document describes: its status, its content type, its
 * body by the schema, and of a problem its code. What the document does not have must be answered with a problem.
 */
function makeCheck(document: ApiDocument): AnswerCheck {
  const schemaErrors = schemaCheck(document.components)
  const { Problem } = document.components.responses

  return (answer) => {
    const { method, path, status, headers, body } = answer
    const fail = (why: string): never => {
      const [type, start] = [text(headers['content-type']), body.slice(0, 500)]
      throw new Error(
        `${method} ${path} answers ${status} ${type}, which openapi.json has not: ${why}\n${start}`,
      )
    }
    if (text(headers['cache-control']) !== 'no-store') fail('it may be cached')
    if (text(headers['x-request-id']) === '') fail('it has no request id')
    if (method === 'OPTIONS' && status === 204) return body === '' ? undefined : fail('it has a body')

    const [, methods] =
      Object.entries(document.paths).find(([it]) => matches(it, path.split('?', 1)[0] ?? '')) ?? []
    const operation = methods?.[(method === 'HEAD' ? 'GET' : method).toLowerCase()]
    const described = operation?.responses[status]
    if (operation && !described) fail('its status is not described')
    if (!operation && status < 400) fail('its route is not described')
    const response = described && !described.$ref ? described : Problem
    const type = text(headers['content-type']).split(';', 1)[0] ?? ''
    const { schema } = response.content?.[type] ?? fail('its content type is not described')
    if (method === 'HEAD') return body === '' ? undefined : fail('it has a body')

    const value: unknown = type.endsWith('json') ? JSON.parse(body) : body
    const errors = schemaErrors(schema, value)
    if (errors !== '') fail(errors)
    if (response !== Problem) return undefined
    const problem = type === 'application/problem+json' ? value : Reflect.get(Object(value), 'payload')
    const [code, requestId, itsStatus] = ['code', 'requestId', 'status'].map((it) => Reflect.get(problem, it))
    if (described && !described.description.includes(`\`${code}\``)) fail(`its code ${code} is not described`)
    if (itsStatus !== status) fail(`its body says ${itsStatus}`)
    if (requestId !== text(headers['x-request-id'])) fail('header and body have other request ids')
    return undefined
  }
}
