import type { Code } from './codes.ts'
import sections from './failures.json' with { type: 'json' }

/** Code with a section of its own in docs/failures.md. */
type OwnCode = keyof typeof sections

/**
 * Code of a failure on a host or on the operator's machine, which `muster explain` knows: it has a section in
 * docs/failures.md, or is a finding as well.
 */
export type FailureCode = OwnCode | Code

/** Explanation of a failure, in addition to its own text. */
export type FailureExplanation = {
  readonly code: string
  /** A sentence. */
  readonly title: string
  /** Cause and fix: paragraphs of one line each. Names, values and commands are in backquotes. */
  readonly about: readonly string[]
}

const isOwnCode = (word: string): word is OwnCode => Object.hasOwn(sections, word)

export const failureCodes: readonly OwnCode[] = Object.keys(sections).filter(isOwnCode)

export function explainFailureCode(code: OwnCode): FailureExplanation {
  const [title = '', ...about] = sections[code].split('\n\n')
  return { code, title, about }
}

/** Returns the explanation of a failure; undefined for another word. */
export const failureNamed = (word: string): FailureExplanation | undefined =>
  isOwnCode(word) ? explainFailureCode(word) : undefined
