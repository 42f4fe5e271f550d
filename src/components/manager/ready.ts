import { ready } from '../../api/calls/health.ts'
import { type ServedRoute, serve, type TextAnswer, textAnswer } from '../../api/serve.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import type { Manager } from './createManager.ts'

/** Readiness as every component answers it, and whether the manager can do its work. A failed data source is none of that. */
export const readyToManage = (manager: Manager): ServedRoute =>
  serve(commonRoutes.ready, async (call, context) => {
    const common = (await ready.handle(call, context)) as TextAnswer
    const reasons = manager.reasonsAgainst()
    if (reasons.length === 0) return common
    const told = call.caller.kind === 'anonymous' ? '' : `${reasons.join('\n')}\n`
    return textAnswer(503, `${common.text.replace(/^ready/, 'unready')}${told}`)
  })
