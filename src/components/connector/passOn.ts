import type { Static } from 'typebox'
import { ProblemError } from '../../api/problemError.ts'
import { type Call, isDry } from '../../api/serve.ts'
import { isObject } from '../../base/json.ts'
import type { Endpoint } from '../../client/endpoint.ts'
import type { Route } from '../../contracts/route.ts'
import { callOf } from '../../contracts/routeCall.ts'
import { callManager, type PayloadRoute, unreachable } from '../callManager.ts'

/** Manager that takes the calls of a connector's services map. */
type MapManager = {
  /** In messages: `the manager of db1`. */
  readonly title: string
  /** Throws an Error where its files cannot be read. */
  readonly endpoint: () => Endpoint
  /** Puts into effect here what a call changed there. */
  readonly update: () => Promise<void>
}

/** Makes a call of a connector's services map at the manager that it follows. */
export type PassOn = <R extends PayloadRoute>(
  call: Pick<Call<unknown>, 'body' | 'query' | 'caller' | 'authorization' | 'audit'>,
  route: R,
) => Promise<Static<R['response']['payload']>>

/**
 * Milliseconds: a manager asks the others, lets them change, checks the servers within a second, and waits two seconds
 * at most for its connector.
 */
const timeLimit = 16_000

const withoutLogin = (title: string): ProblemError =>
  new ProblemError({
    code: 'follows-manager',
    detail:
      `This connector follows ${title}, which takes a call from another host only with a user and a password. ` +
      'Send them by HTTP Basic, or make the call on that host.',
  })

/** Creates the way to the manager that is followed now; `manager` returns undefined while there is none. */
export const createPassOn =
  (manager: () => MapManager | undefined): PassOn =>
  async ({ body, query, caller, authorization, audit }, route) => {
    const chosen = manager()
    if (!chosen) {
      throw unreachable(
        'The services map is kept by the managers of the service, and none answers. Try again later.',
      )
    }
    const { title } = chosen
    const wanted = isObject(body) && isObject(body.payload) ? body.payload : {}
    audit({ parameters: { ...wanted, manager: title } })
    const endpoint = (): Endpoint => {
      const way = chosen.endpoint()
      if (way.kind === 'tcp' && authorization === undefined && caller.kind === 'socket') {
        throw withoutLogin(title)
      }
      return way
    }
    // The body goes on as it came: it may name a version.
    const call = { ...callOf<Route>(route, {}, { query }), ...(route.request === null ? {} : { body }) }
    const payload = await callManager({ title, endpoint, route, call, authorization, timeout: timeLimit })
    if (route.guard && !isDry({ query })) await chosen.update()
    return payload
  }
