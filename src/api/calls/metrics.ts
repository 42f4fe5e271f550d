import { commonRoutes } from '../../contracts/commonRoutes.ts'
import { formatMetrics } from '../metrics.ts'
import { serve, textAnswer } from '../serve.ts'

export const metrics = serve(commonRoutes.metrics, async (_call, context) => {
  const { version, component, node, certificateExpiry } = context
  const users = await context.accounts.users()
  const text = formatMetrics([
    {
      name: 'muster_build_info',
      type: 'gauge',
      help: 'Which version of which component runs; always 1.',
      samples: [{ labels: { version, component, node }, value: 1 }],
    },
    {
      name: 'muster_uptime_seconds',
      type: 'gauge',
      help: 'Seconds since the process started.',
      samples: [{ value: context.uptime() / 1000 }],
    },
    {
      name: 'muster_users',
      type: 'gauge',
      help: 'API users of this host.',
      samples: [{ value: users.length }],
    },
    {
      name: 'muster_certificate_expiry_timestamp_seconds',
      type: 'gauge',
      help: 'When the certificate of the API expires, in Unix time.',
      samples: certificateExpiry ? [{ value: Math.floor(certificateExpiry.getTime() / 1000) }] : [],
    },
    {
      name: 'muster_http_requests_total',
      type: 'counter',
      help: 'Finished calls by route, method and status.',
      samples: context.counts.entries().map(({ route, method, status, count }) => ({
        labels: { route, method, status: String(status) },
        value: count,
      })),
    },
  ])
  return textAnswer(200, text)
})
