import { findUser, removeUser } from '../../accounts/userFile.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import { auditedUser } from '../audit/auditedUser.ts'
import { ProblemError } from '../problemError.ts'
import { refuseNobodysName } from '../refuseUserName.ts'
import { serve } from '../serve.ts'

export const deleteUser = serve(commonRoutes.deleteUser, async ({ body, audit }, { accounts }) => {
  const name = body.payload.value
  audit({ parameters: { user: name } })
  refuseNobodysName(name, '/payload/value')
  const changed = await accounts.change((file) => {
    audit({ before: auditedUser(findUser(file, name)) })
    const next = removeUser(file, name)
    if (next !== file && next.users.length === 0) {
      const detail = 'No one could log in any more. Create another user first.'
      throw new ProblemError({ code: 'last-user', detail })
    }
    return next
  })
  audit({ after: null })
  return { value: true, changed }
})
