import { jsonText } from '../../base/json.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { writeText } from '../../cli/terminal.ts'
import type { Outcome } from '../../client/calls.ts'
import { renderProblem } from './failure.ts'
import type { Call } from './prepareCall.ts'

/**
 * Prints what a call brought. With --json standard output carries the body as it came, of a problem too;
 * otherwise the value goes to standard output and a problem to standard error.
 */
export function showOutcome<Value>(shown: {
  readonly call: Call
  readonly outcome: Outcome<Value>
  /** `columns` are those of the terminal; none where the output is none. */
  readonly render: (value: Value, columns?: number) => string
}): ExitCode {
  const { call, outcome, render } = shown
  const { context, options } = call
  const failed = 'problem' in outcome
  if (options.json) {
    const { body, status } = outcome.answer
    context.stdout.write(jsonText(body === '' ? { status } : body))
  } else if (failed) {
    context.stderr.write(renderProblem(outcome.problem))
  } else {
    writeText(context, render(outcome.value, context.stdout.columns))
  }
  return failed ? exitCodes.failed : exitCodes.ok
}
