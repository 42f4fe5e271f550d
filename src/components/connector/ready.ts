import { ready } from '../../api/calls/health.ts'
import { type ServedRoute, serve, type TextAnswer, textAnswer } from '../../api/serve.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import type { Connector } from './createConnector.ts'

/**
 * Readiness as every component answers it, and whether clients of the database are forwarded or held. What asks
 * this learns of OFFLINE, which an attempt to connect would not show.
 */
export const readyToForward = (connector: Connector): ServedRoute =>
  serve(commonRoutes.ready, async (call, context) => {
    const common = (await ready.handle(call, context)) as TextAnswer
    const reason = connector.reasonAgainst()
    const notes = [reason, connector.lack()].filter((it) => it !== undefined)
    const told = call.caller.kind === 'anonymous' ? '' : notes.map((it) => `${it}\n`).join('')
    return reason === undefined
      ? textAnswer(common.status, `${common.text}${told}`)
      : textAnswer(503, `${common.text.replace(/^ready/, 'unready')}${told}`)
  })
