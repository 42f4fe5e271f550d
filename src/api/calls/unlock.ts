import { commonRoutes } from '../../contracts/commonRoutes.ts'
import { refuseNobodysName } from '../refuseUserName.ts'
import { serve } from '../serve.ts'

/** Every component counts failed logins by itself, so this holds for the one that answers. */
export const unlock = serve(commonRoutes.unlock, ({ body, audit }, { lockout }) => {
  const user = body.payload.value
  audit({ parameters: { user } })
  refuseNobodysName(user, '/payload/value')
  return { value: true, changed: lockout.unlock(user) }
})
