import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { get, type Outcome, post } from '../../client/calls.ts'
import { ClientError } from '../../client/clientError.ts'
import { readEnvelope } from '../../client/envelope.ts'
import { type ProblemCode, problems } from '../../contracts/problems.ts'
import { confirmChange } from './confirmation.ts'
import { login } from './login.ts'
import type { Call } from './prepareCall.ts'
import { object } from './render.ts'
import { showOutcome } from './showResults.ts'

/** An answer that was no good. */
export type Refused = Extract<Outcome<unknown>, { readonly problem: unknown }>

/** A POST as it is sent; the guard is in its path. */
export type PostRequest = { readonly path: string; readonly body?: unknown }

/** Something that a command changes with one POST, on a host or on every host. */
export type Change = {
  /** Name of the command, for messages. */
  readonly command: string
  /** What a person has to agree to, `where` being the host or the hosts; absent where nobody is asked. */
  readonly question?: (where: string) => string
  /**
   * What is sent; `call` carries the login, and may be asked for what the command line leaves open. Rejects with a
   * `ClientError`, or with a `UsageError` where that is not clear.
   */
  readonly request: (call: Call) => Promise<PostRequest | Refused>
  /**
   * Foresees with --all, before any host is changed, what this host would answer, as far as its state tells; `call`
   * carries the login. Absent where the request alone decides.
   */
  readonly forecast?: (call: Call) => Promise<Forecast>
  readonly render: (body: unknown, columns?: number) => string
  /** What became of it, in a few words. */
  readonly summarize: (body: unknown) => string
  /** What a person should know afterwards, one sentence; may ask the API. */
  readonly note?: (call: Call, body: unknown) => Promise<string | undefined>
  /** Every host has its own, and people expect that it is one: says where else to make the change. */
  readonly local?: true
}

/** Changes one host: asks whether it is meant, logs in, sends, prints. */
export async function changeHost(call: Call, change: Change, iAmSure: boolean): Promise<ExitCode> {
  const { context, place, options } = call
  const { command, question, render } = change
  if (question && !(await confirmChange({ context, place, command, iAmSure, question: question(place) }))) {
    return exitCodes.failed
  }
  const known: Call = { ...call, caller: await login(call) }
  const request = await change.request(known)
  const outcome = 'problem' in request ? request : await post(known.caller, request)
  const code = showOutcome({ call, outcome, render })
  if ('problem' in outcome || options.json) return code
  for (const words of [await readNote(change, known, outcome.value), change.local && noteOtherHosts(call)]) {
    if (words !== undefined) context.stderr.write(`note: ${words}\n`)
  }
  return code
}

/** The note of a change; a failure to ask for it is none of the change. */
export async function readNote(change: Change, call: Call, body: unknown): Promise<string | undefined> {
  try {
    return await change.note?.(call, body)
  } catch (error) {
    if (error instanceof ClientError) return undefined
    throw error
  }
}

/** Where else a change has to be made that holds on one host alone; undefined where there is no other host. */
function noteOtherHosts({ target }: Call): string | undefined {
  const { found, component } = target
  const others = found?.cluster.hosts.filter(
    ({ name, apis }) => name !== found.host.name && apis.some((api) => api.component === component),
  )
  if (found === undefined || others === undefined || others.length === 0) return undefined
  const names = others.map(({ name }) => name).join(', ')
  return `this changed only ${found.host.name}. Other hosts of ${found.cluster.cluster}: ${names}; --all changes all of them.`
}

/** Foreseen answer of a host to a change: a refusal, or words for why nothing is to be done there; else undefined. */
export type Forecast = Refused | { readonly unchanged: string } | undefined

/** The refusal that the API of a host would answer, as far as its state tells. */
export function predictRefusal(code: ProblemCode, detail: string): Refused {
  const { status, title } = problems[code]
  const problem = { status, code, title, detail, errors: [] }
  return { answer: { status, headers: {}, body: problem }, problem }
}

/** The payload of a GET as an object, or the refusal that came instead. */
export async function readPayload(
  call: Call,
  path: string,
): Promise<Refused | { readonly payload: Readonly<Record<string, unknown>> }> {
  const outcome = await get(call.caller, path)
  return 'problem' in outcome ? outcome : { payload: object(readEnvelope(outcome.value)?.payload) }
}

/** Foresees the refusal of whoever refuses to tell the state that a change starts from. */
export async function predictReadRefusal(call: Call, path: string): Promise<Forecast> {
  const told = await readPayload(call, path)
  return 'problem' in told ? told : undefined
}
