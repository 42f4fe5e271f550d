import { UserFileError } from '../../accounts/userFileIo.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import type { ApiContext } from '../apiContext.ts'
import { serve, textAnswer } from '../serve.ts'

export const live = serve(commonRoutes.live, () => textAnswer(200, 'live\n'))

async function reasonsAgainst(context: ApiContext): Promise<readonly string[]> {
  const reasons: string[] = []
  if (context.isStopping()) reasons.push('the server is stopping')
  const expiry = context.certificateExpiry
  if (expiry && expiry <= context.now()) reasons.push(`the certificate expired at ${expiry.toISOString()}`)
  try {
    await context.accounts.users()
  } catch (error) {
    if (!(error instanceof UserFileError)) throw error
    reasons.push(error.message)
  }
  return reasons
}

export const ready = serve(commonRoutes.ready, async ({ caller }, context) => {
  const reasons = await reasonsAgainst(context)
  if (reasons.length === 0) return textAnswer(200, 'ready\n')
  const told = caller.kind === 'anonymous' ? [] : reasons
  return textAnswer(503, ['unready', ...told, ''].join('\n'))
})
