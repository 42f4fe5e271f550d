import type { Accounts } from '../../accounts/accounts.ts'
import type { UserRecord } from '../../accounts/userRecord.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import { type CredentialsPayload, obfuscated } from '../../contracts/payloads.ts'
import { ProblemError } from '../problemError.ts'
import { type Call, serve } from '../serve.ts'

const shown = ({ user, access }: UserRecord): CredentialsPayload => ({ user, pass: obfuscated, access })

/** The users; those that the caller's login was judged by where there was one. */
const present = ({ caller }: Pick<Call, 'caller'>, accounts: Accounts) =>
  caller.kind === 'user' ? accounts.seenUsers() : accounts.users()

export const user = serve(commonRoutes.user, async (call, { accounts }) => {
  const name = (call.params.user ?? '').normalize('NFC')
  const record = (await present(call, accounts)).find((it) => it.user === name)
  if (record) return shown(record)
  throw new ProblemError({ code: 'not-found', detail: 'This host has no user of that name.' })
})

export const users = serve(commonRoutes.users, async (call, { accounts }) =>
  (await present(call, accounts)).map((it) => shown(it)),
)
