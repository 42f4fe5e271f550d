import type { ExitCode } from '../cli/exitCodes.ts'
import { guarded } from '../client/apiPath.ts'
import { get } from '../client/calls.ts'
import { basePath } from '../contracts/route.ts'
import { type Change, type Forecast, payloadOf, wouldRefuse } from './change.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { briefly, object } from './render.ts'
import { renderServiceList, renderServices } from './service.ts'
import { showOutcome } from './showResults.ts'

/** What can be done to replication; each a call of its own. */
export const replicatorChanges = ['online', 'offline', 'reset'] as const

export type ReplicatorChange = (typeof replicatorChanges)[number]

const pathOf = (action: string, service: string | undefined): string =>
  `${basePath}/replicator/${service === undefined ? '' : `service/${encodeURIComponent(service)}/`}${action}`

/** `tapi replicator status [SERVICE]`: the state of every service, or of one. */
export async function replicatorStatus(call: Call, service: string | undefined): Promise<ExitCode> {
  const outcome = await get(await login(call), pathOf('status', service))
  return showOutcome({ call, outcome, render: renderServices })
}

/** `tapi replicator services`: the replication services of the host; none where it has no database. */
export async function replicatorServices(call: Call): Promise<ExitCode> {
  const outcome = await get(await login(call), `${basePath}/replicator/services`)
  return showOutcome({ call, outcome, render: renderServiceList })
}

function question(change: ReplicatorChange, what: string): string {
  switch (change) {
    case 'online':
      return `Start ${what}?`
    case 'offline':
      return `Stop ${what}?`
    case 'reset':
      return (
        `Reset the replication position of ${what}? With GTIDs the database keeps its position; without, it ` +
        "starts over at the primary's oldest binary log."
      )
  }
}

/** Foresees that a database which is nobody's replica has nothing to change, and a reset that needs an offline first. */
async function foresee(call: Call, change: ReplicatorChange, service: string | undefined): Promise<Forecast> {
  const told = await payloadOf(call, pathOf('status', service))
  if ('problem' in told) return told
  const replicas = Object.entries(told.payload).filter(([, status]) => object(status).role !== 'primary')
  if (replicas.length === 0) {
    return {
      unchanged: `not a replica: nothing to ${{ online: 'start', offline: 'stop', reset: 'reset' }[change]}`,
    }
  }
  const running = replicas.filter(([, status]) => {
    const { receiver, applier } = object(status)
    return receiver !== 'stopped' || applier !== 'stopped'
  })
  if (change !== 'reset' || running.length === 0) return undefined
  const names = running.map(([name]) => name).join(', ')
  return wouldRefuse('wrong-state', `A reset needs services that are offline; not offline: ${names}.`)
}

/** `tapi replicator online|offline|reset [SERVICE]`: changes every service, or one. */
export const changeReplicator = (change: ReplicatorChange, service: string | undefined): Change => ({
  command: `replicator ${change}`,
  question: (where) =>
    question(change, `the replication ${service === undefined ? '' : `service ${service} `}of ${where}`),
  order: async () => ({ path: guarded(pathOf(change, service)) }),
  forecast: (call) => foresee(call, change, service),
  render: renderServices,
  brief: briefly,
})
