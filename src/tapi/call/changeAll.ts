import { mapLimit } from '../../base/concurrency.ts'
import type { CommandContext } from '../../cli/context.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { get, type Outcome, post } from '../../client/calls.ts'
import { renderError } from './callFailure.ts'
import { type Change, noteOf, type Order } from './change.ts'
import { confirmed } from './confirmation.ts'
import {
  attempt,
  everyHost,
  type GoodResult,
  hasFailed,
  hostsAtOnce,
  isGood,
  type NotCalled,
  type Result,
} from './everyHost.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { exitCodeOfAll, isUnreachable, showResults } from './showResults.ts'

const components: Readonly<Record<string, string>> = {
  manager: 'managers',
  connector: 'connectors',
  replicator: 'replicators',
}

/** All hosts of a change as a question names them: `the connectors of db1 and db2 (cluster alpha)`. */
function placesOf(calls: readonly Call[]): string {
  const kinds = [...new Set(calls.map(({ target }) => target.component))]
  return `the ${kinds.length === 1 ? components[kinds[0] ?? ''] : 'APIs'} of ${hostNames(calls)}`
}

/** The hosts of some calls as a sentence names them: `db1 and db2 (cluster alpha)`. */
export function hostNames(calls: readonly Call[]): string {
  const names = calls.map(({ target, options }) => target.found?.host.name ?? options.host)
  const list = [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((it) => it !== '').join(' and ')
  const cluster = calls[0]?.target.found?.cluster.cluster
  return `${list}${cluster === undefined ? '' : ` (cluster ${cluster})`}`
}

/**
 * Says that nothing was changed because a host could not be asked, and by which hosts; undefined where all may be
 * changed that `skipUnreachable` leaves.
 */
export function refuseWhereUnreachable(facts: {
  readonly context: CommandContext
  readonly json: boolean
  readonly results: readonly Result[]
  readonly skipUnreachable: boolean
}): ExitCode | undefined {
  const { context, json, results, skipUnreachable } = facts
  const bad = results.filter(hasFailed)
  if (bad.every((result) => skipUnreachable && isUnreachable(result)) && bad.length < results.length)
    return undefined
  const code = exitCodeOfAll(bad)
  if (code === exitCodes.interrupted) return code
  showResults({ context, json, results, good: { result: 'unchanged', brief: () => '' } })
  if (!json) {
    const onlyLost = bad.every(isUnreachable) && bad.length < results.length
    context.stderr.write(
      renderError({
        message: 'Nothing was changed on any host: not every host passed the checks.',
        fix: onlyLost
          ? 'Fix these hosts, or use --skip-unreachable to change only the others.'
          : 'Fix these hosts, then repeat the command.',
      }),
    )
  }
  return code
}

/**
 * Makes a change on every host: one question and one login for all; every host is asked before the first is
 * changed, and then all are changed at once; none more once one has refused.
 */
export async function changeAll(
  calls: readonly Call[],
  change: Change,
  told: { readonly iAmSure: boolean; readonly skipUnreachable: boolean },
): Promise<ExitCode> {
  const [first] = calls
  if (first === undefined) return exitCodes.ok
  const { context } = first
  const { json } = first.options
  const place = placesOf(calls)
  const { command, question, brief } = change
  const { iAmSure } = told
  if (question && !(await confirmed({ context, place, command, iAmSure, question: question(place) }))) {
    return exitCodes.failed
  }

  const { credentials } = await login(first)
  const known = calls.map((call) => ({
    ...call,
    caller: { ...call.caller, ...(credentials && { credentials }) },
  }))
  const ready: (Call & { readonly order: Order })[] = []
  const settled: NotCalled[] = []
  const asked = await everyHost(known, async (call): Promise<Outcome<unknown>> => {
    const version = await get(call.caller, '/api/v2/version')
    if ('problem' in version) return version
    const order = await change.order(call)
    if ('problem' in order) return order
    const foreseen = await change.forecast?.(call)
    if (foreseen !== undefined && 'problem' in foreseen) return foreseen
    if (foreseen === undefined) ready.push({ ...call, order })
    else settled.push({ call, notCalled: { result: 'unchanged', what: foreseen.unchanged } })
    return version
  })
  const { skipUnreachable } = told
  const refusal = refuseWhereUnreachable({ context, json, results: asked, skipUnreachable })
  if (refusal !== undefined) return refusal
  const sent = await untilRefused(ready, ({ caller, order }) => post(caller, order))
  const results = inPlace<Result>(asked, [...settled, ...sent])
  const code = showResults({ context, json, results, good: { result: 'done', brief } })
  if (!json) await tellNotes(change, results.filter(isGood))
  return code
}

/** Changes hosts, many at once; those that wait for their turn when one fails are left alone. */
export function untilRefused<Made extends Call>(
  calls: readonly Made[],
  action: (call: Made) => Promise<Outcome<unknown>>,
): Promise<readonly Result[]> {
  let failed = false
  return mapLimit({
    items: calls,
    limit: hostsAtOnce,
    map: async (call): Promise<Result> => {
      if (failed) return { call, notCalled: { result: 'skipped', what: 'another host failed before' } }
      const result = await attempt(call, action)
      failed ||= hasFailed(result)
      return result
    },
  })
}

/** The results of all hosts, each the later one where there are two. */
export const inPlace = <One extends Result>(
  results: readonly One[],
  later: readonly One[] = [],
): readonly One[] => results.map((one) => later.find(({ call }) => call.place === one.call.place) ?? one)

async function tellNotes(change: Change, results: readonly GoodResult[]): Promise<void> {
  const notes = await Promise.all(results.map(({ call, outcome }) => noteOf(change, call, outcome.value)))
  for (const words of new Set(notes)) {
    if (words !== undefined) results[0]?.call.context.stderr.write(`note: ${words}\n`)
  }
}
