import { UserFileError } from '../../accounts/userFileIo.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import type { ApiContext } from '../apiContext.ts'
import { type TextResponse, textResponse } from '../response.ts'
import { type ServedRoute, serve } from '../serve.ts'

export const live = serve(commonRoutes.live, () => textResponse(200, 'live\n'))

async function reasonsAgainst(context: ApiContext): Promise<readonly string[]> {
  const reasons: string[] = []
  if (context.isStopAnnounced() || context.isStopping()) reasons.push('the server is stopping')
  const expiry = context.certificate?.().expiry
  if (expiry && expiry <= context.now()) reasons.push(`the certificate expired at ${expiry.toISOString()}`)
  const audit = context.audit?.state().problem
  if (audit !== undefined) reasons.push(audit)
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
  // A rejected certificate stops nobody while the previous one is valid, but the operator must know.
  const notes = [...reasons, context.certificate?.().rejected ?? []].flat()
  const lines = caller.kind === 'anonymous' ? [] : notes
  const [status, word] = reasons.length === 0 ? ([200, 'ready'] as const) : ([503, 'unready'] as const)
  return textResponse(status, [word, ...lines, ''].join('\n'))
})

/** Readiness of the component itself, beside that of every component; `notes` are shown and do not fail it. */
type OwnReadiness = { readonly reasons: readonly string[]; readonly notes?: readonly string[] }

/** Extends `ready` by the readiness of a component. */
export const readyWith = (own: () => OwnReadiness | Promise<OwnReadiness>): ServedRoute =>
  serve(commonRoutes.ready, async (call, context) => {
    const common = (await ready.handle(call, context)) as TextResponse
    const { reasons, notes = [] } = await own()
    const lines = call.caller.kind === 'anonymous' ? [] : [...reasons, ...notes]
    const isReady = reasons.length === 0
    const first = isReady ? common.text : common.text.replace(/^ready/, 'unready')
    return textResponse(isReady ? common.status : 503, first + lines.map((it) => `${it}\n`).join(''))
  })
