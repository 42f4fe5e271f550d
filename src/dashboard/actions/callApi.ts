import type { ActionRequest, ActionResponse } from '../../contracts/dashboard.ts'
import { post } from '../state/request.ts'
import { shown } from '../text/words.ts'
import type { Call, Given, Receivers } from './operations.ts'

/** Outcome of a call on one host. */
export type Outcome = {
  readonly host: string
  /** `incomplete`: it was done, and something does not hold. */
  readonly state: 'done' | 'unchanged' | 'incomplete' | 'failed'
  /** Why it failed, or what does not hold; empty otherwise. */
  readonly detail: string
  readonly payload: unknown
}

/** Browsers allow six connections to a server, and one of them is the stream. */
const atOnce = 4

/** Calls each of the hosts, a few at once, and tells each outcome as it comes. */
export async function callHosts(options: {
  readonly cluster: string
  readonly call: Call
  readonly given: Given
  readonly called: Receivers['called']
  readonly onOutcome: (outcome: Outcome) => void
}): Promise<void> {
  const waiting = [...options.called]
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      options.onOutcome(await callHost(options, next))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

async function callHost(
  { cluster, call, given }: { readonly cluster: string; readonly call: Call; readonly given: Given },
  { host, component }: Receivers['called'][number],
): Promise<Outcome> {
  const { route, params, query, payload } = call
  const request: ActionRequest = {
    cluster,
    host,
    component,
    route,
    params,
    ...(query && { query }),
    ...(payload && { payload: payload(given) }),
  }
  const result = await post<ActionResponse>('action', request)
  if (!result.ok) return { host, state: 'failed', detail: shown(result.problem.detail), payload: null }
  const response = result.value
  if ('detail' in response) return { host, state: 'failed', detail: shown(response.detail), payload: null }
  const { payload: answer } = response
  const { changed, remarks } = isMembers(answer) ? answer : {}
  const detail = Array.isArray(remarks) ? remarks.map((it) => shown(String(it))).join(' ') : ''
  const state = detail !== '' ? 'incomplete' : changed === false ? 'unchanged' : 'done'
  return { host, state, detail, payload: answer }
}

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
