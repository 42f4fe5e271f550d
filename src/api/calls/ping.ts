import { commonRoutes } from '../../contracts/commonRoutes.ts'
import { pingDate } from '../pingDate.ts'
import { serve } from '../serve.ts'

export const ping = serve(commonRoutes.ping, (_call, context) => ({
  message: `Ping test: the ${context.component} answers.`,
  date: pingDate(context.now()),
  hostName: context.hostName,
  pid: context.pid,
  jvmUptime: Math.round(context.uptime()),
}))
