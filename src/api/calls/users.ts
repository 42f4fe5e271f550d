import type { UserRecord } from '../../accounts/userRecord.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import { type CredentialsPayload, obfuscated } from '../../contracts/payloads.ts'
import { ProblemError } from '../problemError.ts'
import { serve } from '../serve.ts'

const shown = ({ user, access }: UserRecord): CredentialsPayload => ({ user, pass: obfuscated, access })

export const user = serve(commonRoutes.user, async ({ params }, { accounts }) => {
  const name = (params.user ?? '').normalize('NFC')
  const record = (await accounts.users()).find((it) => it.user === name)
  if (record) return shown(record)
  throw new ProblemError({ code: 'not-found', detail: 'This host has no user of that name.' })
})

export const users = serve(commonRoutes.users, async (_call, { accounts }) =>
  (await accounts.users()).map((it) => shown(it)),
)
