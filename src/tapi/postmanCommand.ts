import type { CliCommand } from '../cli/cliCommand.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { writeFileTo } from '../cli/terminal.ts'
import { send } from '../client/calls.ts'
import { commonRoutes } from '../contracts/commonRoutes.ts'
import { callOf } from '../contracts/routeCall.ts'
import { postmanCollection } from '../output/postman/collection.ts'
import { renderError, renderProblem } from './call/callFailure.ts'
import { type CallResult, callHosts, isSuccess } from './call/callHosts.ts'
import type { Call } from './call/prepareCall.ts'
import type { Runner } from './call/runner.ts'
import { exitCodeOfAll } from './call/showResults.ts'

const place = ({ call }: CallResult): string => `${call.place} is skipped\n`

/**
 * Prints a Postman collection, created from the OpenAPI documents of all components of the host. Components
 * that do not answer are excluded and reported on standard error.
 */
async function printCollection(calls: readonly Call[]): Promise<ExitCode> {
  const [first] = calls
  if (first === undefined) return exitCodes.ok
  const { context, options, target } = first
  const results = await callHosts(calls, (call) => send(call.caller, callOf(commonRoutes.openapi)))
  const code = exitCodeOfAll(results)
  for (const result of results) {
    if ('error' in result) context.stderr.write(place(result) + renderError(result.error))
    else if ('problem' in result.outcome) {
      context.stderr.write(place(result) + renderProblem(result.outcome.problem))
    }
  }
  const good = results.filter(isSuccess)
  if (good.length === 0 || code === exitCodes.interrupted) return code
  const collection = postmanCollection({
    name: `APIv2 of ${target.found?.host.name ?? target.address}`,
    host: target.names[0],
    user: options.user ?? 'admin',
    components: good.map(({ call, outcome }) => ({
      component: call.target.component,
      port: call.target.port,
      document: outcome.value,
    })),
  })
  writeFileTo(context.stdout, `${JSON.stringify(collection, null, 2)}\n`)
  return code
}

export function definePostman(command: CliCommand, { readHost }: Runner): void {
  command.action(() => readHost(command, { one: printCollection }))
}
