import type { ServiceStatus } from '../replicatorPayloads.ts'
import type { replicatorRoutes } from '../replicatorRoutes.ts'
import type { ExamplesOf } from './examplesOf.ts'

const online: ServiceStatus = {
  role: 'replica',
  state: 'ONLINE',
  receiver: 'running',
  applier: 'running',
  positioning: 'gtid',
  appliedLastEventId: 'bin.000002:1307',
  appliedLastSeqno: 80_211,
  appliedLatency: 0,
  relativeLatency: null,
  currentEventId: 'bin.000002:1307',
  pendingError: null,
  pendingErrorCode: null,
  pendingExceptionMessage: null,
  dataServerHost: '10.0.0.12',
  takenOffline: null,
  masterConnectUri: 'mysql://10.0.0.11:3306',
}
const stopped = {
  state: 'OFFLINE:NORMAL',
  receiver: 'stopped',
  applier: 'stopped',
  appliedLatency: null,
} as const
const forgotten = { appliedLastEventId: null, currentEventId: null } as const

const changedTo = (status: ServiceStatus) => ({ response: { alpha: { ...status, changed: true } } })
const started = changedTo(online)
const ended = changedTo({
  ...online,
  ...stopped,
  takenOffline: { by: 'admin', since: '2026-01-02T03:04:05.000Z' },
})
const reset = changedTo({ ...online, ...stopped, ...forgotten })

export const replicatorExamples: ExamplesOf<typeof replicatorRoutes> = {
  replicatorServices: {
    response: [
      {
        serviceName: 'alpha',
        serviceType: 'local',
        started: true,
        role: 'replica',
        state: 'ONLINE',
        appliedLastSeqno: 80_211,
        appliedLatency: 0,
        relativeLatency: null,
        masterConnectUri: 'mysql://10.0.0.11:3306',
      },
    ],
  },
  replicatorStatus: { response: { alpha: online } },
  replicatorServiceStatus: { response: { alpha: online } },
  replicatorOnline: started,
  replicatorServiceOnline: started,
  replicatorOffline: ended,
  replicatorServiceOffline: ended,
  replicatorReset: reset,
  replicatorServiceReset: reset,
}
