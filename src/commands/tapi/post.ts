import { UsageError } from '../../cli/usageError.ts'
import { apiPath, guarded } from '../../client/apiPath.ts'
import { briefly } from './briefly.ts'
import type { Change } from './change.ts'
import { readBody } from './readBody.ts'
import { renderBody } from './renderPayload.ts'
import type { ToldChange } from './runner.ts'

/** `tapi post PATH`: any POST, with the guard only when told; nobody is asked. */
export async function postChange(
  told: ToldChange,
  posted: { readonly path: string; readonly body: string | undefined },
): Promise<Change> {
  if (posted.body === '-' && told.passwordStdin) {
    throw new UsageError(
      '--body - and --password-stdin cannot both read standard input.',
      'Use --body @FILE for the body, or --password-file for the password.',
    )
  }
  const body = posted.body === undefined ? undefined : await readBody(told.context, posted.body)
  const path = told.iAmSure ? guarded(apiPath(posted.path)) : apiPath(posted.path)
  return {
    command: 'post',
    order: async () => (body === undefined ? { path } : { path, body }),
    render: renderBody,
    brief: briefly,
  }
}
