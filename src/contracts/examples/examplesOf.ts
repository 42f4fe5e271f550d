import type { Static, TSchema } from 'typebox'
import type { Route } from '../route.ts'

type RequestExample<R extends Route> = R['request'] extends TSchema
  ? { readonly request: Static<R['request']> }
  : { readonly request?: never }

type AnswerExample<R extends Route> = R['response'] extends {
  readonly payload: infer Payload extends TSchema
}
  ? Static<Payload>
  : R['response'] extends { readonly kind: 'text' }
    ? string
    : object

/** Body of a request, and what is answered: the payload alone, the JSON, or the text. */
export type CallExample = { readonly request?: unknown; readonly answer: unknown }

/** An example for every route of a table, of the types that its schemas say. */
export type ExamplesOf<Routes extends Readonly<Record<string, Route>>> = {
  readonly [Name in keyof Routes]: RequestExample<Routes[Name]> & {
    readonly answer: AnswerExample<Routes[Name]>
  }
}
