import { mapLimit } from '../../base/concurrency.ts'
import type { Outcome } from '../../client/calls.ts'
import { ClientError } from '../../client/clientError.ts'
import { withAdvice } from './callFailure.ts'
import type { Call } from './prepareCall.ts'

/** Response or error of a call that was sent. */
export type CallResult =
  | { readonly call: Call; readonly outcome: Outcome<unknown> }
  | { readonly call: Call; readonly error: ClientError }

/** Host that a change was not sent to. */
export type SkippedResult = {
  readonly call: Call
  readonly skipped: { readonly result: string; readonly what: string }
}

export type Result = CallResult | SkippedResult

export type SuccessResult = {
  readonly call: Call
  readonly outcome: Extract<Outcome<unknown>, { readonly value: unknown }>
}

export const isSuccess = (result: Result): result is SuccessResult =>
  'outcome' in result && !('problem' in result.outcome)

/** Returns true for a problem response and for a call without a response. */
export const hasFailed = (result: Result): boolean =>
  'error' in result || ('outcome' in result && 'problem' in result.outcome)

/** Limit of simultaneous calls. */
export const maxParallelHosts = 32

/** Makes a call and returns its `ClientError`, with the fix that fits the host, instead of throwing it. */
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

/** Calls all hosts in parallel; results are in the order of `calls`. */
export const callHosts = <Made extends Call>(
  calls: readonly Made[],
  action: (call: Made) => Promise<Outcome<unknown>>,
): Promise<CallResult[]> =>
  mapLimit({ items: calls, limit: maxParallelHosts, map: (call) => callHost(call, action) })
