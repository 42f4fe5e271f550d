import { commonRoutes } from '../../contracts/commonRoutes.ts'
import type { ApiContext } from '../apiContext.ts'
import { formatMetrics, type MetricFamily, single } from '../metricFamilies.ts'
import { textResponse } from '../response.ts'
import { serve } from '../serve.ts'
import type { CertificateState } from '../tlsCertificate.ts'

const ofProcess = ({ version, component, node, uptime }: ApiContext): readonly MetricFamily[] => [
  {
    name: 'muster_build_info',
    type: 'gauge',
    help: 'Version of the running component; the value is always 1.',
    samples: [{ labels: { version, component, node }, value: 1 }],
  },
  single({
    name: 'muster_uptime_seconds',
    type: 'gauge',
    help: 'Seconds since the process started.',
    value: uptime() / 1000,
  }),
]

const ofCertificate = ({ expiry, rejected }: CertificateState): readonly MetricFamily[] => [
  single({
    name: 'muster_certificate_expiry_timestamp_seconds',
    type: 'gauge',
    help: 'Expiry time of the API certificate, in Unix time.',
    value: Math.floor(expiry.getTime() / 1000),
  }),
  single({
    name: 'muster_certificate_refused',
    type: 'gauge',
    help: '1 if a new certificate was rejected and the previous one is still in use, else 0.',
    value: rejected === undefined ? 0 : 1,
  }),
]

async function ofLogins({ accounts, lockout }: ApiContext): Promise<readonly MetricFamily[]> {
  const { locks, locked } = lockout.counts()
  return [
    single({
      name: 'muster_users',
      type: 'gauge',
      help: 'API users of this host.',
      value: (await accounts.users()).length,
    }),
    single({
      name: 'muster_lockouts_total',
      type: 'counter',
      help: 'Lockouts of an address and user name after failed logins.',
      value: locks,
    }),
    single({
      name: 'muster_locked_out',
      type: 'gauge',
      help: 'Pairs of address and user name that are locked out now.',
      value: locked,
    }),
  ]
}

const ofAudit = ({ audit }: ApiContext): readonly MetricFamily[] =>
  audit === undefined
    ? []
    : [
        single({
          name: 'muster_audit_failures_total',
          type: 'counter',
          help: 'Failed writes to the audit log.',
          value: audit.state().failures,
        }),
      ]

export const metrics = serve(commonRoutes.metrics, async (_call, context) => {
  const certificate = context.certificate?.()
  const families = [
    ...ofProcess(context),
    ...(await ofLogins(context)),
    ...(certificate ? ofCertificate(certificate) : []),
    ...ofAudit(context),
    ...context.counts.families(),
    ...(context.componentMetrics?.() ?? []),
  ]
  return textResponse(200, formatMetrics(families))
})
