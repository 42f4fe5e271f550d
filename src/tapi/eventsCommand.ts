import type { Command } from 'commander'
import { jsonLineOf } from '../base/json.ts'
import { printableLine } from '../base/printable.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { ClientError } from '../client/clientError.ts'
import { type EventSource, followEvents } from '../client/followEvents.ts'
import { RefusedStreamError } from '../client/readEvents.ts'
import { createEventText } from '../output/eventText.ts'
import { exitCodeOf, renderError, renderProblem, withAdvice } from './call/callFailure.ts'
import { login, loginAll } from './call/login.ts'
import type { Call } from './call/prepareCall.ts'
import { renderDuration } from './call/render.ts'
import type { Runner } from './call/runner.ts'
import { hostNameOf } from './call/showResults.ts'

/** Follows a manager until it is interrupted. Throws a `ClientError` where the manager never answered. */
async function follow(call: Call, isOneOfMany: boolean): Promise<ExitCode> {
  const { context, options, caller } = call
  const host = printableLine(hostNameOf(call))
  const prefix = isOneOfMany ? `${host}: ` : ''
  const textOf = createEventText()
  const neverOpen = new AbortController()
  let isCut = false
  let wasOpen = false
  let first: ClientError | undefined
  const source: EventSource = {
    endpoint: call.endpoint,
    userAgent: 'tapi',
    ...(caller.credentials && { credentials: caller.credentials }),
  }
  const ended = await followEvents({
    ...source,
    signal: AbortSignal.any([context.signal, neverOpen.signal]),
    onEvent: (event) => {
      if (options.json) context.stdout.write(jsonLineOf(isOneOfMany ? { host, ...event } : event))
      else for (const line of textOf(event)) context.stdout.write(`${printableLine(`${prefix}${line}`)}\n`)
    },
    onOpen: () => {
      if (isCut) context.stderr.write(`note: ${host} is connected again\n`)
      isCut = false
      wasOpen = true
    },
    onCut: (error, milliseconds) => {
      if (!wasOpen) {
        first = error
        neverOpen.abort()
      } else if (!isCut) {
        context.stderr.write(
          `note: ${host} is cut off: ${error.message} Trying again in ${renderDuration(milliseconds)}.\n`,
        )
        isCut = true
      }
    },
  })
  if (context.signal.aborted) throw new Interrupted()
  if (!(ended instanceof RefusedStreamError)) throw first ?? ended
  const { problem } = ended
  if (options.json) context.stdout.write(jsonLineOf(isOneOfMany ? { host, problem } : { problem }))
  else context.stderr.write(`${prefix}${renderProblem(problem)}`)
  return exitCodes.failed
}

/** Follows the managers of all hosts; those that cannot be followed are named, and the others go on. */
async function followAll(calls: readonly Call[]): Promise<ExitCode> {
  const [first] = calls
  if (first === undefined) return exitCodes.ok
  const known = await loginAll(calls, first)
  const codes = await Promise.all(
    known.map(async (call) => {
      try {
        return await follow(call, true)
      } catch (error) {
        if (!(error instanceof ClientError)) throw error
        const { code, message, fix } = withAdvice({ error, target: call.target, trust: call.trust })
        const host = printableLine(hostNameOf(call))
        if (call.options.json) call.context.stdout.write(jsonLineOf({ host, error: { code, message, fix } }))
        else call.context.stderr.write(`${host}: ${renderError({ code, message, fix })}`)
        return exitCodeOf(error)
      }
    }),
  )
  return codes.includes(exitCodes.unreachable) ? exitCodes.unreachable : exitCodes.failed
}

export function defineEvents(command: Command, { read }: Runner): void {
  command.action(() =>
    read(
      command,
      async (call) => follow({ ...call, caller: await login(call) }, false),
      ['manager'],
      followAll,
    ),
  )
}
