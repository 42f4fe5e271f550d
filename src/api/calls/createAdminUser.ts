import { findUser, putUser } from '../../accounts/userFile.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import { type CredentialsRequest, credentialsOf } from '../../contracts/credentials.ts'
import { passwordProblems } from '../../contracts/password.ts'
import { Secret } from '../../secrets/secret.ts'
import { auditedUser } from '../audit/auditedUser.ts'
import { ProblemError } from '../problemError.ts'
import { refuseUserName } from '../refuseUserName.ts'
import { type Call, serve } from '../serve.ts'

type Read = Pick<Call<CredentialsRequest>, 'body' | 'audit'>

function readPair({ body, audit }: Read): { readonly user: string; readonly pass: string } {
  const pair = credentialsOf(body)
  if ('errors' in pair) {
    const detail = pair.errors.map(({ path, message }) => `${path} ${message}`).join('; ')
    throw new ProblemError({ code: 'invalid-body', detail: `In the body, ${detail}.`, errors: pair.errors })
  }
  audit({ parameters: { user: pair.user } })
  const place = body.payload === undefined ? '' : '/payload'
  refuseUserName(pair.user, `${place}/user`)
  const errors = passwordProblems(pair.pass).map((message) => ({ path: `${place}/pass`, message }))
  if (errors.length > 0) {
    const detail = `The password ${errors.map(({ message }) => message).join(', ')}.`
    throw new ProblemError({ code: 'invalid-password', detail, errors })
  }
  return pair
}

export const createAdminUser = serve(commonRoutes.createAdminUser, async (call, { accounts }) => {
  const { user, pass } = readPair(call)
  const record = await accounts.recordFor({ user, password: new Secret(pass) })
  const changed = await accounts.change((file) => {
    call.audit({ before: auditedUser(findUser(file, record.user)) })
    // Two may come at once while there is no user: the second of them is not the first any more.
    if (call.caller.kind === 'anonymous' && file.users.length > 0) {
      const detail = 'This host got its first user a moment ago. Send the login of a user.'
      throw new ProblemError({ code: 'login-required', detail })
    }
    return putUser(file, record)
  })
  // A new password alone leaves both the same, and `changed` tells.
  call.audit({ after: auditedUser(record), changed })
  return { value: `${call.baseUrl}/user/${encodeURIComponent(record.user)}` }
})
