import { get } from '../../client/calls.ts'
import { readEnvelope } from '../../client/envelope.ts'
import { type ProblemCode, problems } from '../../contracts/problems.ts'
import { object } from './cells.ts'
import type { Refused } from './change.ts'
import type { Call } from './prepareCall.ts'

/** Foreseen answer of a host to a change: a refusal, or words for why nothing is to be done there; else undefined. */
export type Forecast = Refused | { readonly unchanged: string } | undefined

/** The refusal that the API of a host would answer, as far as its state tells. */
export function wouldRefuse(code: ProblemCode, detail: string): Refused {
  const { status, title } = problems[code]
  const problem = { status, code, title, detail, errors: [] }
  return { answer: { status, headers: {}, body: problem }, problem }
}

/** The payload of a GET as an object, or the refusal that came instead. */
export async function payloadOf(
  call: Call,
  path: string,
): Promise<Refused | { readonly payload: Readonly<Record<string, unknown>> }> {
  const outcome = await get(call.caller, path)
  return 'problem' in outcome ? outcome : { payload: object(readEnvelope(outcome.value)?.payload) }
}

/** Foresees the refusal of whoever refuses to tell the state that a change starts from. */
export async function refusalToTell(call: Call, path: string): Promise<Forecast> {
  const told = await payloadOf(call, path)
  return 'problem' in told ? told : undefined
}
