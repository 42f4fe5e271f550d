import { lastLines } from '../../base/printable.ts'
import { listOf } from '../../base/words.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { type Outcome, send } from '../../client/calls.ts'
import { ClientError } from '../../client/clientError.ts'
import type { Problem } from '../../client/envelope.ts'
import type { RouteCall } from '../../contracts/routeCall.ts'
import { confirmChange } from './confirmation.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { payloadOf } from './render.ts'
import { showOutcome } from './showResults.ts'

/** Response that carries a problem instead of a value. */
export type Refused = Extract<Outcome<unknown>, { readonly problem: unknown }>

/** Change that one POST makes, on one host or on every host. */
export type Change = {
  /** Name of the command for messages. */
  readonly command: string
  /** Returns the question to confirm, `where` being the host or hosts; absent if nothing is asked. */
  readonly question?: (where: string) => string
  /**
   * Returns the call to send. `call` carries the login; it may be used to look up what the command line
   * leaves open. Rejects with a `ClientError` or, if the target is not clear, with a `UsageError`.
   */
  readonly request: (call: Call) => Promise<RouteCall | Refused>
  /**
   * Returns why a host has nothing to change, in a few words for --all, though it refuses the change; undefined for a
   * refusal that counts.
   */
  readonly nothingToDo?: (refused: Problem) => string | undefined
  /** Set for a call that may have no dry run; with --all its hosts are only asked whether they answer before. */
  readonly untried?: true
  readonly render: (body: unknown, columns?: number) => string
  /** Returns the result in a few words. */
  readonly summarize: (body: unknown) => string
  /** Returns a note of one sentence to print after the change; may call the API. */
  readonly note?: (call: Call, body: unknown) => Promise<string | undefined>
  /**
   * Returns the call that goes further than the one that was refused, for what the refusal says that it would do;
   * undefined if there is none. It is made once that is confirmed, too.
   */
  readonly further?: (refused: Problem, request: RouteCall) => RouteCall | undefined
  /** Set for a change that holds on one host only: a note then names the other hosts. */
  readonly local?: true
  /** Set for a change that a manager brings to all managers of its service. */
  readonly shared?: true
}

/** Adds a query parameter to a request. */
export const withParameter = (
  { path, ...rest }: RouteCall,
  name: 'dry' | 'peers' | 'repoint',
  value: string,
): RouteCall => ({ ...rest, path: `${path}${path.includes('?') ? '&' : '?'}${name}=${value}` })

/** Changes one host: asks for confirmation, logs in, sends the request, prints the result. */
export async function changeHost(
  call: Call,
  change: Change,
  { iAmSure, skipUnreachable }: { readonly iAmSure: boolean; readonly skipUnreachable: boolean },
): Promise<ExitCode> {
  const { context, place, options } = call
  const { command, question, render } = change
  if (question && !(await confirmChange({ context, place, command, iAmSure, question: question(place) }))) {
    return exitCodes.failed
  }
  const known: Call = { ...call, caller: await login(call) }
  const made = await change.request(known)
  const request = 'problem' in made || !skipUnreachable ? made : withParameter(made, 'peers', 'reachable')
  const first = 'problem' in request ? request : await send(known.caller, request)
  const more =
    'problem' in first && !('problem' in request) ? change.further?.(first.problem, request) : undefined
  if (more !== undefined && 'problem' in first) {
    const words = first.problem.detail ?? first.problem.title
    if (iAmSure) context.stderr.write(`note: ${words}\n`)
    if (!(await confirmChange({ context, place, command, iAmSure, question: `${words} Go on?` }))) {
      return exitCodes.failed
    }
  }
  const outcome = more === undefined ? first : await send(known.caller, more)
  const code = showOutcome({ call, outcome, render })
  if ('problem' in outcome) return code
  const { managers, remarks } = readReach(outcome.value)
  const end = remarks.length > 0 ? exitCodes.incomplete : code
  if (options.json) return end
  const isAlone = managers.length === 0
  for (const words of [
    await readNote(change, known, outcome.value),
    (change.local || (change.shared && isAlone)) && noteOtherHosts(call),
    isAlone ? undefined : `${listOf(managers)} ${managers.length === 1 ? 'has' : 'have'} it.`,
    ...remarks,
  ]) {
    if (words !== undefined) context.stderr.write(`note: ${words}\n`)
  }
  return end
}

/** Reads which managers have a change, and what does not hold, from the response. */
export function readReach(body: unknown): {
  readonly managers: readonly string[]
  readonly remarks: readonly string[]
} {
  const { managers, remarks } = payloadOf(body)
  const texts = (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.filter((it) => typeof it === 'string').map(lastLines) : []
  return { managers: texts(managers), remarks: texts(remarks) }
}

/** Returns the note of a change; undefined if the call for it fails, since the change is already made. */
export async function readNote(change: Change, call: Call, body: unknown): Promise<string | undefined> {
  try {
    return await change.note?.(call, body)
  } catch (error) {
    if (error instanceof ClientError) return undefined
    throw error
  }
}

function noteOtherHosts({ target }: Call): string | undefined {
  const { found, component } = target
  const others = found?.cluster.hosts.filter(
    ({ name, apis }) => name !== found.host.name && apis.some((api) => api.component === component),
  )
  if (found === undefined || others === undefined || others.length === 0) return undefined
  const names = others.map(({ name }) => name).join(', ')
  return `this changed only ${found.host.name}. Other hosts of ${found.cluster.cluster}: ${names}. Repeat it with --all to change all of them.`
}
