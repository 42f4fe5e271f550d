import { listOf } from '../base/words.ts'
import { finding } from '../diagnostics/finding.ts'
import { fixHidden, whyHidden } from './document/node.ts'

const didYouMean = (nearest: string | undefined): string | undefined =>
  nearest === undefined ? undefined : `Did you mean ${nearest}?`

export const stdinTwice = finding('stdin-twice', () => ({
  message: 'Standard input is used more than once.',
  why: 'It can be read only once.',
  fix: 'Use "-" for one file or one --set, and a file (--set name=@FILE) for the others.',
}))

export const unknownOption = finding(
  'unknown-option',
  (facts: { name: string; nearest: string | undefined; hidden?: true }) => ({
    message: `${facts.name} is not an option.`,
    why: `It would be ignored silently.${whyHidden(facts)}`,
    fix:
      fixHidden(facts) ?? didYouMean(facts.nearest) ?? 'Remove it, or list all options with: muster explain',
  }),
)

export const unknownKey = finding(
  'unknown-key',
  (facts: {
    name: string
    nearest: string | undefined
    place: string
    known: readonly string[]
    hidden?: true
  }) => ({
    message: `${facts.name} is not valid in ${facts.place}.`,
    why: `It would be ignored silently.${whyHidden(facts)}`,
    fix: fixHidden(facts) ?? didYouMean(facts.nearest) ?? `Remove it, or use ${listOf(facts.known, 'or')}.`,
  }),
)

export const noValue = finding('no-value', (facts: { name: string; wants: string; secret: boolean }) => ({
  message: `${facts.name} has no value.`,
  why: facts.secret
    ? 'Nothing follows the colon, or the value starts with a character that is special in YAML.'
    : `It must be ${facts.wants}.`,
  fix: facts.secret
    ? "Put the value in single quotes: '…' (and write a single quote inside it twice)."
    : 'Write a value after the colon, or remove the line.',
}))

export const missingKey = finding(
  'missing-key',
  (facts: { name: string; place: string; example: string }) => ({
    message: `${facts.name} is missing in ${facts.place}.`,
    why: 'It has no default.',
    fix: `Add, for example: ${facts.example}`,
  }),
)

export const referenceNotSecret = finding('reference-not-secret', (facts: { name: string; tag: string }) => ({
  message: `${facts.name} cannot be read with !${facts.tag}.`,
  why: 'Only secrets can be references; all other values must be in the file, where they can be reviewed.',
  fix: 'Write the value itself.',
}))
