import { guarded } from '../../client/apiPath.ts'
import { get, post } from '../../client/calls.ts'
import { basePath } from '../../contracts/route.ts'
import { type ExitCode, exitCodes } from '../exitCodes.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { renderServices } from './renderServices.ts'
import { showOutcome } from './showOutcome.ts'
import { confirmed } from './sure.ts'

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

function question(change: ReplicatorChange, what: string): string {
  switch (change) {
    case 'online':
      return `Start ${what}?`
    case 'offline':
      return `Stop ${what}?`
    case 'reset':
      return (
        `Make ${what} forget how far it has come? With GTIDs the database still knows what it has; without, it ` +
        "starts over at the primary's oldest binary log."
      )
  }
}

/** `tapi replicator online|offline|reset [SERVICE]`: changes every service, or one. */
export async function changeReplicator(
  call: Call,
  order: {
    readonly change: ReplicatorChange
    readonly service: string | undefined
    readonly iAmSure: boolean
  },
): Promise<ExitCode> {
  const { change, service, iAmSure } = order
  const what = `the replication ${service === undefined ? '' : `service ${service} `}of ${call.place}`
  const asked = { call, command: `replicator ${change}`, iAmSure, question: question(change, what) }
  if (!(await confirmed(asked))) return exitCodes.failed
  const outcome = await post(await login(call), { path: guarded(pathOf(change, service)) })
  return showOutcome({ call, outcome, render: renderServices })
}
