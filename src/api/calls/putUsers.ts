import { putUser, readUserRecord } from '../../accounts/userFile.ts'
import type { UserRecord } from '../../accounts/userRecord.ts'
import { hostRoutes } from '../../contracts/hostRoutes.ts'
import { ProblemError } from '../problemError.ts'
import { refuseUserName } from '../refuseUserName.ts'
import { serve } from '../serve.ts'

/** Users come as the user file keeps them: whoever makes their passwords needs not tell them here. */
export const putUsers = serve(hostRoutes.putUsers, async ({ body, audit }, { accounts }) => {
  const records = body.users.map((value, index) => readAt(value, `/users/${index}`))
  audit({ parameters: { users: records.map(({ user }) => user) } })
  const changed = await accounts.change((file) => records.reduce(putUser, file))
  audit({ changed })
  return { value: true, changed }
})

function readAt(value: unknown, path: string): UserRecord {
  const record = understood(value, path)
  refuseUserName(record.user, `${path}/user`)
  return record
}

function understood(value: unknown, path: string): UserRecord {
  try {
    return readUserRecord(value)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new ProblemError({
      code: 'invalid-body',
      detail: `In the body, ${message}.`,
      errors: [{ path, message }],
    })
  }
}
