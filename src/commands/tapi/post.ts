import { apiPath, guarded } from '../../client/apiPath.ts'
import { post } from '../../client/calls.ts'
import type { ExitCode } from '../exitCodes.ts'
import { UsageError } from '../usageError.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { readBody } from './readBody.ts'
import { renderBody } from './renderPayload.ts'
import { showOutcome } from './showOutcome.ts'

/** What `tapi post` is told beside the path. */
export type PostOptions = { readonly body?: string; readonly iAmSure: boolean }

/** `tapi post PATH`: any POST, with the guard only when told. */
export async function postCommand(
  call: Call,
  posted: PostOptions & { readonly path: string },
): Promise<ExitCode> {
  if (posted.body === '-' && call.options.passwordStdin) {
    throw new UsageError(
      '--body - and --password-stdin cannot both have standard input.',
      'Give the body as --body @FILE, or the password with --password-file.',
    )
  }
  const body = posted.body === undefined ? undefined : await readBody(call.context, posted.body)
  const path = posted.iAmSure ? guarded(apiPath(posted.path)) : apiPath(posted.path)
  const caller = await login(call)
  const outcome = await post(caller, body === undefined ? { path } : { path, body })
  return showOutcome({ call, outcome, render: renderBody })
}
