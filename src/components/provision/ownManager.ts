import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../../api/startError.ts'
import { parseCallResults } from '../../client/call.ts'
import { readServiceStatus, type SeenService } from '../../client/clusterView.ts'
import { readProblem } from '../../client/envelope.ts'
import { managerRoutes } from '../../contracts/managerRoutes.ts'
import { callOf, type RouteCall } from '../../contracts/routeCall.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import type { ownSource } from '../localServer.ts'
import { asOwner, type Program, runProgram } from './program.ts'

/** Milliseconds for one call. */
const timeout = 60_000

export type OwnManager = ReturnType<typeof ownManager>

/** The manager of this host, called over its socket by the rights of its service user. */
export function ownManager(
  settings: ServerSettings,
  self: Program,
  { service, name }: ReturnType<typeof ownSource>,
) {
  // The owner of the folder of its socket.
  const user = statSync(dirname(settings.socket))
  async function send(call: RouteCall): Promise<unknown> {
    const target = { socket: settings.socket }
    const request = { id: 'manager', ...call, target, timeout }
    const printed = await runProgram(asOwner(user, [...self, 'call']), { input: JSON.stringify([request]) })
    const [result] = parseCallResults(printed) ?? []
    if (!result) throw new StartError('the manager of this host did not answer')
    if ('error' in result) throw new StartError(`the manager of this host: ${result.error.message}`)
    const problem = readProblem(result)
    if (problem) throw new StartError(`the manager of this host: ${problem.detail ?? problem.title}`)
    return result.body
  }
  return {
    read: async (): Promise<SeenService> => {
      const seen = readServiceStatus(await send(callOf(managerRoutes.managerServiceStatus, { service })))
      if (seen) return seen
      throw new StartError('the response of the manager of this host is not the status of a service')
    },
    // The others are told by whoever has the rights.
    recover: () =>
      send(
        callOf(
          managerRoutes.managerRecover,
          { service, datasource: name },
          { query: { repoint: 'yes', peers: 'alone' } },
        ),
      ),
  }
}
