import { Value } from 'typebox/value'
import type { FieldError } from '../contracts/envelope.ts'
import type { Route } from '../contracts/route.ts'
import { fieldErrors } from '../contracts/schemaFinding.ts'
import { ProblemError } from './problemError.ts'
import { parseStrictJson } from './strictJson.ts'

/** Findings beyond this number say nothing more. */
const mostErrors = 20

const invalid = (detail: string, errors: readonly FieldError[]): ProblemError =>
  new ProblemError({ code: 'invalid-body', detail, errors })

/** Refuses what a call would have to pass over in silence. */
function refuseContent(body: unknown): void {
  if (body === undefined || body === null) return
  const [member] = typeof body === 'object' && !Array.isArray(body) ? Object.keys(body) : ['']
  if (member === undefined) return
  throw invalid('This call takes no body: what stands in it would have no effect.', [
    { path: member && `/${member}`, message: 'does not belong here' },
  ])
}

/** The value of a body that has the shape which the route names; throws a problem for any other. */
export function checkBody({ request }: Route, bytes: Buffer | undefined): unknown {
  // Clients name the type of what they might have sent: a call that takes nothing gets nothing.
  const isNone = bytes === undefined || (bytes.length === 0 && request === null)
  const body = isNone ? undefined : parseStrictJson(bytes)
  if (request === null) {
    refuseContent(body)
    return undefined
  }
  if (Value.Check(request, body)) return body
  const errors = Value.Errors(request, body)
    // The member that does not belong there is found twice.
    .filter(({ keyword }) => keyword !== 'boolean')
    .flatMap((finding) => fieldErrors(finding))
    .slice(0, mostErrors)
  const [first] = errors
  const where = first?.path ? `the member ${first.path}` : 'the body'
  throw invalid(first ? `In the request, ${where} ${first.message}.` : 'The body has another shape.', errors)
}
