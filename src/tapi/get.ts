import type { ExitCode } from '../cli/exitCodes.ts'
import { apiPath, isPublicPath } from '../client/apiPath.ts'
import { get } from '../client/calls.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { renderBody } from './render.ts'
import { showOutcome } from './showResults.ts'

/** `tapi get PATH`: any GET. It logs in unless the path needs none and no --user is given. */
export async function getCommand(call: Call, written: string): Promise<ExitCode> {
  const path = apiPath(written)
  const caller = isPublicPath(path) && call.options.user === undefined ? call.caller : await login(call)
  return showOutcome({ call, outcome: await get(caller, path), render: renderBody })
}
