import { ready } from '../../api/calls/health.ts'
import { type ServedRoute, serve, type TextAnswer, textAnswer } from '../../api/serve.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import type { Replicator } from './createReplicator.ts'

/** Readiness as every component answers it, and whether the database answers. */
export const readyWithDatabase = (replicator: Replicator): ServedRoute =>
  serve(commonRoutes.ready, async (call, context) => {
    const common = (await ready.handle(call, context)) as TextAnswer
    const reason = await replicator.reasonAgainst()
    if (reason === undefined) return common
    const told = call.caller.kind === 'anonymous' ? '' : `${reason}\n`
    return textAnswer(503, `${common.text.replace(/^ready/, 'unready')}${told}`)
  })
