import type { ExitCode } from '../cli/exitCodes.ts'
import { type Ping, ping } from '../client/calls.ts'
import type { Call } from './prepareCall.ts'
import { renderDuration, renderFields } from './render.ts'
import { showOutcome } from './showResults.ts'

/** `tapi ping`: whether the API answers, and from which process. */
export async function pingCommand(call: Call): Promise<ExitCode> {
  const outcome = await ping(call.caller)
  return showOutcome({ call, outcome, render: (answered) => renderPing(call.place, answered) })
}

const renderPing = (place: string, answered: Ping): string =>
  `${place} answered\n${renderFields([
    ['  message', answered.message],
    ['  host', answered.hostName],
    ['  pid', String(answered.pid)],
    ['  uptime', renderDuration(answered.jvmUptime)],
    ['  date', answered.date],
  ])}`
