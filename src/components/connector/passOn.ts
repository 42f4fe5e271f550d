import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { ProblemError } from '../../api/problemError.ts'
import type { Call } from '../../api/serve.ts'
import { StartError } from '../../api/startError.ts'
import { isObject } from '../../base/json.ts'
import { capitalized } from '../../base/words.ts'
import { withGuard } from '../../client/apiPath.ts'
import { ClientError } from '../../client/clientError.ts'
import type { Endpoint } from '../../client/endpoint.ts'
import { type Problem, readEnvelope, readProblem } from '../../client/envelope.ts'
import { type ApiResponse, request } from '../../client/request.ts'
import { type ProblemCode, problems } from '../../contracts/problems.ts'
import { internalUserAgent, type Route } from '../../contracts/route.ts'

/** Manager that takes the calls of a connector's services map. */
export type MapManager = {
  /** In messages: `the manager of db1`. */
  readonly title: string
  /** Throws an Error where its files cannot be read. */
  readonly endpoint: () => Endpoint
  /** Puts into effect here what a call changed there. */
  readonly update: () => Promise<void>
}

type PayloadRoute = Route & { readonly response: { readonly payload: TSchema } }

/** Makes a call of a connector's services map at the manager that it follows. */
export type PassOn = <R extends PayloadRoute>(
  call: Pick<Call<unknown>, 'body' | 'caller' | 'authorization' | 'audit'>,
  route: R,
) => Promise<Static<R['response']['payload']>>

/** Milliseconds: a manager waits two seconds at most for the connector of its own host. */
const timeLimit = 10_000

const unreachable = (detail: string): ProblemError =>
  new ProblemError({ code: 'manager-unreachable', detail })

const withoutLogin = (title: string): ProblemError =>
  new ProblemError({
    code: 'follows-manager',
    detail:
      `This connector follows ${title}, which takes a call from another host only with a user and a password. ` +
      'Send them by HTTP Basic, or make the call on that host.',
  })

const isProblemCode = (word: string): word is ProblemCode => Object.hasOwn(problems, word)

function refusalOf({ code = '', detail, status, errors }: Problem, title: string): ProblemError {
  if (!isProblemCode(code) || problems[code].status !== status) {
    return unreachable(`${capitalized(title)} answers ${status}.`)
  }
  // A challenge of this server would follow from the status alone; other headers are the manager's own matter.
  return new ProblemError({ code, detail: `${capitalized(title)} answers: ${detail ?? code}`, errors })
}

/** Creates the way to the manager that is followed now; `manager` returns undefined while there is none. */
export function createPassOn(manager: () => MapManager | undefined): PassOn {
  const passOn = async (
    { body, caller, authorization, audit }: Parameters<PassOn>[0],
    route: PayloadRoute,
  ): Promise<unknown> => {
    const chosen = manager()
    if (!chosen) {
      throw unreachable(
        'The services map is kept by the managers of the service, and none answers. Try again later.',
      )
    }
    const { title } = chosen
    const wanted = isObject(body) && isObject(body.payload) ? body.payload : {}
    audit({ parameters: { ...wanted, manager: title } })
    let answer: ApiResponse
    try {
      const endpoint = chosen.endpoint()
      if (endpoint.kind === 'tcp' && authorization === undefined && caller.kind === 'socket') {
        throw withoutLogin(title)
      }
      answer = await request({
        endpoint,
        method: route.method,
        path: route.guard ? withGuard(route.path) : route.path,
        ...(authorization ? { authorization } : {}),
        ...(route.request === null ? {} : { body }),
        timeout: timeLimit,
        userAgent: internalUserAgent,
      })
    } catch (error) {
      if (error instanceof ClientError || error instanceof StartError) throw unreachable(error.message)
      throw error
    }
    const problem = readProblem(answer)
    if (problem) throw refusalOf(problem, title)
    const payload = readEnvelope(answer.body)?.payload
    if (!Value.Check(route.response.payload, payload)) {
      throw unreachable(`${capitalized(title)} answers something else than this call has.`)
    }
    if (route.guard) await chosen.update()
    return payload
  }
  // Its shape was checked by the route's schema.
  return passOn as PassOn
}
