import { parseJsonObject } from '../../base/json.ts'
import { lastLines } from '../../base/printable.ts'
import type { Component } from '../../contracts/component.ts'
import type { RunOptions, RunResult, Transport } from '../../transport/transport.ts'
import { runOrThrow } from '../runOrThrow.ts'
import { StepError } from '../stepError.ts'
import { serviceManagers } from './implementations.ts'
import type { ServiceEnd, ServiceSet } from './serviceManager.ts'

type Watched = Pick<ServiceSet, 'manager' | 'cluster' | 'account' | 'data'>

/** State of a failed component, as far as its host reports it. */
type ServiceFailure = ServiceEnd & {
  /** End of its log, printable, each line bounded. */
  readonly lines: readonly string[]
}

/** Number of log lines that a message quotes. */
const quotedLines = 5

/** Bytes of a log that are read for them. */
const maxLogBytes = 64 * 1024

/** Shortens a component's log line to what explains the failure; other lines stay unchanged. */
export function shortenLogLine(line: string): string {
  const entry = parseJsonObject(line)
  if (typeof entry?.msg !== 'string') return line
  const { time, level, msg } = entry
  return [time, level, msg].filter((word) => typeof word === 'string').join(' ')
}

/** Reads from a host why a component does not run or respond. Never rejects: it is called after a failure. */
export async function serviceFailure(
  transport: Transport,
  set: Watched,
  component: Component,
): Promise<ServiceFailure> {
  const { failure } = serviceManagers[set.manager]
  const script = failure.script(set, { component, lines: quotedLines, bytes: maxLogBytes })
  const answer = await transport.run(script).catch(() => undefined)
  const text = answer?.stdout.raw() ?? ''
  const head = /^(?:\w+=[^\n]*\n){0,20}\n/.exec(text)?.[0] ?? ''
  const pairs = head.split('\n').map((line) => line.split('=', 2))
  const state = failure.stateOf?.(new Map(pairs.map(([name = '', value = '']) => [name, value])))
  const lines = text
    .slice(head.length)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-quotedLines)
    .map((line) => lastLines(shortenLogLine(line)))
  return { ...(state ?? { runs: true }), lines }
}

/** Returns the end of a message: the result, if there is one, and the last log lines. */
export function describeFailure({ result, lines }: ServiceFailure): string {
  const state = result === undefined ? '' : ` (${result})`
  return lines.length === 0 ? state : [`${state}. Its log ends:`, ...lines].join('\n')
}

/** Joins messages about several components; log lines are indented. */
export const joinMessages = (messages: readonly string[]): string =>
  messages
    .map((message) => (messages.length === 1 ? message : message.replaceAll('\n', '\n      ')))
    .join('\n')

/**
 * Runs a script that starts components. If it fails, the `StepError` says why each stopped component does not run, or
 * quotes the script.
 */
export async function startOrThrow(
  transport: Transport,
  set: ServiceSet,
  options: RunOptions & { readonly script: string; readonly doing: string; readonly fix: string },
): Promise<RunResult> {
  try {
    return await runOrThrow(transport, options)
  } catch (error) {
    const hasState = serviceManagers[set.manager].failure.stateOf !== undefined
    if (!(error instanceof StepError) || !hasState) throw error
    const found = await Promise.all(
      set.components.map(async (component) => ({
        component,
        failure: await serviceFailure(transport, set, component),
      })),
    )
    const down = found.filter(({ failure }) => !failure.runs)
    if (down.length === 0) throw error
    const messages = down.map(
      ({ component, failure }) => `the ${component} does not run${describeFailure(failure)}`,
    )
    const { host, code, fix } = error
    throw new StepError({
      host,
      code,
      fix,
      message: `${options.doing} failed: ${joinMessages(messages)}`,
      cause: error,
    })
  }
}
