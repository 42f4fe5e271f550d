import { mapLimit } from '../../base/concurrency.ts'
import type { CommandContext } from '../../cli/context.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { type Outcome, send } from '../../client/calls.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import { callOf, type RouteCall } from '../../contracts/routeCall.ts'
import { renderError } from './callFailure.ts'
import {
  callHost,
  callHosts,
  hasFailed,
  isSuccess,
  maxParallelHosts,
  type Result,
  type SkippedResult,
  type SuccessResult,
} from './callHosts.ts'
import { type Change, readNote, readReach, withParameter } from './change.ts'
import { confirmChange } from './confirmation.ts'
import { loginAll } from './login.ts'
import type { Call } from './prepareCall.ts'
import { exitCodeOfAll, isUnreachable, showResults } from './showResults.ts'

const components: Readonly<Record<string, string>> = {
  manager: 'managers',
  connector: 'connectors',
  replicator: 'replicators',
}

/** Describes the APIs of a change for its question: `the connectors of db1 and db2 (cluster alpha)`. */
function describePlaces(calls: readonly Call[]): string {
  const kinds = [...new Set(calls.map(({ target }) => target.component))]
  return `the ${kinds.length === 1 ? components[kinds[0] ?? ''] : 'APIs'} of ${describeHosts(calls)}`
}

/** Describes hosts: `db1 and db2 (cluster alpha)`. */
export function describeHosts(calls: readonly Call[]): string {
  const names = calls.map(({ target, options }) => target.found?.host.name ?? options.host)
  const list = [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((it) => it !== '').join(' and ')
  const cluster = calls[0]?.target.found?.cluster.cluster
  return `${list}${cluster === undefined ? '' : ` (cluster ${cluster})`}`
}

/**
 * Reports that nothing was changed and which hosts failed the checks; returns undefined if the change may go
 * on.
 */
export function reportFailedChecks(facts: {
  readonly context: CommandContext
  readonly json: boolean
  readonly results: readonly Result[]
  readonly skipUnreachable: boolean
}): ExitCode | undefined {
  const { context, json, results, skipUnreachable } = facts
  const failed = results.filter(hasFailed)
  if (failed.every((result) => skipUnreachable && isUnreachable(result)) && failed.length < results.length)
    return undefined
  const code = exitCodeOfAll(failed)
  if (code === exitCodes.interrupted) return code
  showResults({ context, json, results, success: { result: 'unchanged', summarize: () => '' } })
  if (!json) {
    const onlyUnreachable = failed.every(isUnreachable) && failed.length < results.length
    context.stderr.write(
      renderError({
        message: 'Nothing was changed on any host: not every host passed the checks.',
        fix: onlyUnreachable
          ? 'Fix these hosts, or use --skip-unreachable to change only the others.'
          : 'Fix these hosts, then repeat the command.',
      }),
    )
  }
  return code
}

/**
 * Changes every host with one question and one login: checks all hosts first, then changes them in parallel
 * and starts no further change after a failure.
 */
export async function changeAll(
  calls: readonly Call[],
  change: Change,
  options: { readonly iAmSure: boolean; readonly skipUnreachable: boolean },
): Promise<ExitCode> {
  const [first] = calls
  if (first === undefined) return exitCodes.ok
  const { context } = first
  const { json } = first.options
  const place = describePlaces(calls)
  const { command, question, summarize } = change
  const { iAmSure } = options
  if (question && !(await confirmChange({ context, place, command, iAmSure, question: question(place) }))) {
    return exitCodes.failed
  }

  const known = await loginAll(calls, first)
  const ready: (Call & { readonly request: RouteCall })[] = []
  const settled: SkippedResult[] = []
  const asked = await callHosts(known, async (call): Promise<Outcome<unknown>> => {
    const made = await change.request(call)
    if ('problem' in made) return made
    const request = change.shared ? withParameter(made, 'peers', 'alone') : made
    const check = change.untried ? callOf(commonRoutes.version) : withParameter(request, 'dry', 'yes')
    const checked = await send(call.caller, check)
    const what = 'problem' in checked ? change.nothingToDo?.(checked.problem) : undefined
    if (what !== undefined) settled.push({ call, skipped: { result: 'unchanged', what } })
    else if (!('problem' in checked)) ready.push({ ...call, request })
    return checked
  })
  const { skipUnreachable } = options
  const results = replaceResults<Result>(asked, settled)
  const refusal = reportFailedChecks({ context, json, results, skipUnreachable })
  if (refusal !== undefined) return refusal
  const sent = await changeUntilFailure(ready, ({ caller, request }) => send(caller, request))
  const ends = replaceResults<Result>(results, sent)
  const code = showResults({ context, json, results: ends, success: { result: 'done', summarize } })
  const made = ends.filter(isSuccess)
  const remarks = made.flatMap(({ outcome }) => readReach(outcome.value).remarks)
  if (!json) {
    await printNotes(change, made)
    for (const words of new Set(remarks)) context.stderr.write(`note: ${words}\n`)
  }
  return code === exitCodes.ok && remarks.length > 0 ? exitCodes.incomplete : code
}

/** Changes hosts in parallel; skips those not yet started when one fails. */
export function changeUntilFailure<Made extends Call>(
  calls: readonly Made[],
  action: (call: Made) => Promise<Outcome<unknown>>,
): Promise<readonly Result[]> {
  let failed = false
  return mapLimit({
    items: calls,
    limit: maxParallelHosts,
    map: async (call): Promise<Result> => {
      if (failed) return { call, skipped: { result: 'skipped', what: 'another host failed before' } }
      const result = await callHost(call, action)
      failed ||= hasFailed(result)
      return result
    },
  })
}

/** Replaces the results of hosts that have a later one. */
export const replaceResults = <One extends Result>(
  results: readonly One[],
  later: readonly One[] = [],
): readonly One[] => results.map((one) => later.find(({ call }) => call.place === one.call.place) ?? one)

async function printNotes(change: Change, results: readonly SuccessResult[]): Promise<void> {
  const notes = await Promise.all(results.map(({ call, outcome }) => readNote(change, call, outcome.value)))
  for (const words of new Set(notes)) {
    if (words !== undefined) results[0]?.call.context.stderr.write(`note: ${words}\n`)
  }
}
