import type { Agent } from 'node:http'
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { ProblemError } from '../api/problemError.ts'
import { StartError } from '../api/startError.ts'
import { capitalized } from '../base/words.ts'
import { ClientError } from '../client/clientError.ts'
import type { Endpoint } from '../client/endpoint.ts'
import { type Problem, readEnvelope, readProblem } from '../client/envelope.ts'
import { type ApiResponse, request } from '../client/request.ts'
import { type ProblemCode, problems } from '../contracts/problems.ts'
import { internalUserAgent, type Route } from '../contracts/route.ts'
import type { RouteCall } from '../contracts/routeCall.ts'
import type { Secret } from '../secrets/secret.ts'

/** A route whose response is a payload. */
export type PayloadRoute = Route & { readonly response: { readonly payload: TSchema } }

/** Problem of a call that a manager did not answer as it should. */
export const unreachable = (detail: string): ProblemError =>
  new ProblemError({ code: 'manager-unreachable', detail })

const isProblemCode = (word: string): word is ProblemCode => Object.hasOwn(problems, word)

function refusalOf({ code = '', detail, status, errors }: Problem, title: string): ProblemError {
  if (!isProblemCode(code) || problems[code].status !== status) {
    return unreachable(`${capitalized(title)} answers ${status}.`)
  }
  // A challenge of this server would follow from the status alone; other headers are the manager's own matter.
  return new ProblemError({ code, detail: `${capitalized(title)} answers: ${detail ?? code}`, errors })
}

/** Makes a call at a manager for a caller; its refusal and that it does not answer reject with a `ProblemError`. */
export async function callManager<R extends PayloadRoute>(options: {
  /** In messages: `the manager of db1`. */
  readonly title: string
  /** May throw a `StartError`. */
  readonly endpoint: () => Endpoint
  readonly route: R
  /** Call of the route. */
  readonly call: RouteCall
  readonly authorization: Secret | undefined
  /** Milliseconds. */
  readonly timeout: number
  /** Keeps the connection for the next call. */
  readonly agent?: Agent
}): Promise<Static<R['response']['payload']>> {
  const { title, endpoint, route, authorization, timeout, agent } = options
  let answer: ApiResponse
  try {
    answer = await request({
      endpoint: endpoint(),
      ...options.call,
      ...(authorization ? { authorization } : {}),
      timeout,
      ...(agent ? { agent } : {}),
      userAgent: internalUserAgent,
    })
  } catch (error) {
    if (error instanceof ClientError || error instanceof StartError) throw unreachable(error.message)
    throw error
  }
  const problem = readProblem(answer)
  if (problem) throw refusalOf(problem, title)
  const payload: unknown = readEnvelope(answer.body)?.payload
  if (!Value.Check(route.response.payload, payload)) {
    throw unreachable(`${capitalized(title)} answers something else than this call has.`)
  }
  // Its shape was just checked.
  return payload as Static<R['response']['payload']>
}
