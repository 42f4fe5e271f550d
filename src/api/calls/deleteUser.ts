import { removeUser } from '../../accounts/userFile.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import { ProblemError } from '../problemError.ts'
import { refuseUserName } from '../refuseUserName.ts'
import { serve } from '../serve.ts'

export const deleteUser = serve(commonRoutes.deleteUser, async ({ body }, { accounts }) => {
  const name = body.payload.value
  refuseUserName(name, '/payload/value')
  const changed = await accounts.change((file) => {
    const next = removeUser(file, name)
    if (next !== file && next.users.length === 0) {
      const detail = 'Nobody could log in any more. Create another user first.'
      throw new ProblemError({ code: 'last-user', detail })
    }
    return next
  })
  return { value: true, changed }
})
