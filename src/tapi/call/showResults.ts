import { jsonText } from '../../base/json.ts'
import type { CommandContext } from '../../cli/context.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import type { Outcome } from '../../client/calls.ts'
import { exitCodeOf, renderError, renderProblem } from './callFailure.ts'
import { hasFailed, type Result } from './callHosts.ts'
import type { Call } from './prepareCall.ts'
import { renderTable } from './render.ts'

/**
 * Prints the response of one call. With --json the body goes to standard output as received, also that of a
 * problem; otherwise a problem goes to standard error.
 */
export function showOutcome<Value>(shown: {
  readonly call: Call
  readonly outcome: Outcome<Value>
  /** `columns` is the width of the terminal, if there is one. */
  readonly render: (value: Value, columns?: number) => string
}): ExitCode {
  const { call, outcome, render } = shown
  const { context, options } = call
  const failed = 'problem' in outcome
  if (options.json) {
    const { body, status } = outcome.response
    context.stdout.write(jsonText(body === '' ? { status } : body))
  } else if (failed) {
    context.stderr.write(renderProblem(outcome.problem))
  } else {
    context.stdout.write(render(outcome.value, context.stdout.columns))
  }
  return failed ? exitCodes.failed : exitCodes.ok
}

/** Returns the name of the host that a call is for. */
export const hostNameOf = ({ target, options }: Call): string => target.found?.host.name ?? options.host

/** Returns the name of the host that was called. */
export const hostOf = ({ call }: Result): string => hostNameOf(call)

/** Text for a host whose call succeeded: one word, and a summary of the body. */
type SuccessText = { readonly result: string; readonly summarize: (body: unknown) => string }

/** Returns the exit code of several calls; a failed one takes precedence over an unreachable one. */
export function exitCodeOfAll(results: readonly Result[]): ExitCode {
  const codes = results.filter(hasFailed).map((result) => ('error' in result ? exitCodeOf(result.error) : 1))
  const byPrecedence = [exitCodes.interrupted, exitCodes.usage, exitCodes.failed, exitCodes.unreachable]
  return byPrecedence.find((code) => codes.includes(code)) ?? exitCodes.ok
}

export const isUnreachable = (result: Result): boolean =>
  'error' in result && exitCodeOf(result.error) === exitCodes.unreachable

function describeResult(result: Result, success: SuccessText): readonly [string, string] {
  if ('error' in result) {
    const { code } = result.error
    const what = code === 'refused' ? 'connection refused' : code.replaceAll('-', ' ')
    return [isUnreachable(result) ? 'unreachable' : 'failed', what]
  }
  if ('skipped' in result) return [result.skipped.result, result.skipped.what]
  if ('problem' in result.outcome) {
    const { status, code, title } = result.outcome.problem
    return ['refused', `${status} ${code ?? title}`]
  }
  return [success.result, success.summarize(result.outcome.value)]
}

/** Renders the error of a call below its place; empty without one. */
export function renderReason(result: Result): string {
  const heading = `${result.call.place}\n`
  if ('error' in result) return heading + renderError(result.error)
  return 'outcome' in result && 'problem' in result.outcome
    ? heading + renderProblem(result.outcome.problem)
    : ''
}

/** Returns the response or the error of a call with its host, for --json. */
export function resultToJson(result: Result): object {
  const place = { host: hostOf(result), component: result.call.target.component }
  if ('error' in result) {
    const { code, message, fix } = result.error
    return { ...place, error: { code, message, fix } }
  }
  if ('skipped' in result) return { ...place, ...result.skipped }
  const { status, body } = result.outcome.response
  return { ...place, status, body }
}

/**
 * Prints one line per host, and the errors on standard error; with --json a list. Lines are folded only on a
 * terminal, since programs read them.
 */
export function showResults(shown: {
  readonly context: CommandContext
  readonly json: boolean
  readonly results: readonly Result[]
  readonly success: SuccessText
}): ExitCode {
  const { context, json, results, success } = shown
  if (json) {
    context.stdout.write(jsonText(results.map(resultToJson)))
  } else {
    const rows = results.map((it) => [hostOf(it), it.call.target.component, ...describeResult(it, success)])
    context.stdout.write(renderTable(['host', 'component', 'result', 'what'], rows, context.stdout.columns))
    for (const result of results) context.stderr.write(renderReason(result))
  }
  return exitCodeOfAll(results)
}
