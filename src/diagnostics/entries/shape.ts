import { listOf } from '../../base/words.ts'
import { error, fixHidden, whyHidden } from '../entry.ts'

const didYouMean = (nearest: string | undefined): string | undefined =>
  nearest === undefined ? undefined : `Did you mean ${nearest}?`

/** Names and types of single values. */
export const shapeEntries = {
  'unknown-option': error((facts: { name: string; nearest: string | undefined; hidden?: true }) => ({
    message: `${facts.name} is not an option.`,
    why: `It would be ignored silently.${whyHidden(facts)}`,
    fix:
      fixHidden(facts) ?? didYouMean(facts.nearest) ?? 'Remove it, or list all options with: muster explain',
  })),
  'unknown-key': error(
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
  ),
  'misplaced-option': error((facts: { name: string; place: string; group: string }) => ({
    message: `${facts.name} is an option; it cannot be set directly in ${facts.place}.`,
    why: 'It is not read here.',
    fix: `Move it one level deeper, under ${facts.group}:`,
  })),
  'alias-and-name': error((facts: { name: string; other: string }) => ({
    message: `${facts.name} is another spelling of ${facts.other}, and both are given.`,
    why: 'Only one of the two can apply, and it is not clear which.',
    fix: 'Remove one of them.',
  })),
  'wrong-type': error((facts: { name: string; wants: string; got: string; fix: string }) => ({
    message: `${facts.name} must be ${facts.wants}, not ${facts.got}.`,
    why: 'The value cannot be used; the other checks use the default.',
    fix: facts.fix,
  })),
  'no-value': error((facts: { name: string; wants: string; secret: boolean }) => ({
    message: `${facts.name} has no value.`,
    why: facts.secret
      ? 'Nothing follows the colon, or the value starts with a character that is special in YAML.'
      : `It must be ${facts.wants}.`,
    fix: facts.secret
      ? "Put the value in single quotes: '…' (and write a single quote inside it twice)."
      : 'Write a value after the colon, or remove the line.',
  })),
  'missing-unit': error((facts: { name: string; number: string }) => ({
    message: `${facts.name} is a duration, but ${facts.number} has no unit.`,
    why: 'Some tools read such a number as seconds, others as milliseconds.',
    fix: `Write ${facts.number}s for seconds, ${facts.number}ms for milliseconds or ${facts.number}m for minutes.`,
  })),
  'missing-key': error((facts: { name: string; place: string; example: string }) => ({
    message: `${facts.name} is missing in ${facts.place}.`,
    why: 'It has no default.',
    fix: `Add, for example: ${facts.example}`,
  })),
  'reference-not-secret': error((facts: { name: string; tag: string }) => ({
    message: `${facts.name} cannot be read with !${facts.tag}.`,
    why: 'Only secrets can be references; all other values must be in the file, where they can be reviewed.',
    fix: 'Write the value itself.',
  })),
  'bad-reference': error((facts: { name: string; tag: string; wants: string; example: string }) => ({
    message: `!${facts.tag} of ${facts.name} needs ${facts.wants}.`,
    why: 'The secret cannot be read.',
    fix: `Write, for example: ${facts.example}`,
  })),
  'bad-cluster-name': error((_: Record<never, never>) => ({
    message: 'The cluster name must have 1 to 40 lower-case letters, digits and hyphens.',
    why: 'It becomes part of the names of services and files on every host.',
    fix: 'Write, for example: cluster: alpha',
  })),
  'bad-name': error((facts: { what: string }) => ({
    message: `This is not a valid name for ${facts.what}.`,
    why: 'It is used in certificates and addresses, which allow only letters, digits, hyphens and dots.',
    fix: 'Write, for example: db1 or db1.example.org',
  })),
} as const
