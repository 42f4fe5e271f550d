import { mapLimit } from '../../base/concurrency.ts'
import type { Outcome } from '../../client/calls.ts'
import { ClientError } from '../../client/clientError.ts'
import { withAdvice } from './callFailure.ts'
import type { Call } from './prepareCall.ts'

/** The result of a call that was sent to a host. */
export type CallResult =
  | { readonly call: Call; readonly outcome: Outcome<unknown> }
  | { readonly call: Call; readonly error: ClientError }

/** A host that a change was not sent to, as a table tells it. */
export type SkippedResult = {
  readonly call: Call
  readonly skipped: { readonly result: string; readonly what: string }
}

/** The result of one host. */
export type Result = CallResult | SkippedResult

/** A call that brought what it was made for. */
export type SuccessResult = {
  readonly call: Call
  readonly outcome: Extract<Outcome<unknown>, { readonly value: unknown }>
}

export const isSuccess = (result: Result): result is SuccessResult =>
  'outcome' in result && !('problem' in result.outcome)

/** Returns true for a call that was refused or that brought no answer. */
export const hasFailed = (result: Result): boolean =>
  'error' in result || ('outcome' in result && 'problem' in result.outcome)

/** Enough that hosts change almost together, and few enough for one machine. */
export const maxParallelHosts = 32

/** A call whose failure is a result, too, with the advice that fits the host. */
export async function callHost<Made extends Call>(
  call: Made,
  action: (call: Made) => Promise<Outcome<unknown>>,
): Promise<CallResult> {
  try {
    return { call, outcome: await action(call) }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    return { call, error: withAdvice({ error, target: call.target, trust: call.trust }) }
  }
}

/** Calls all hosts at once; the results come in the order of the calls. */
export const callHosts = <Made extends Call>(
  calls: readonly Made[],
  action: (call: Made) => Promise<Outcome<unknown>>,
): Promise<CallResult[]> =>
  mapLimit({ items: calls, limit: maxParallelHosts, map: (call) => callHost(call, action) })
