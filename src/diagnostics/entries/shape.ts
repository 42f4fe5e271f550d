import { error } from '../entry.ts'
import { listOf } from '../words.ts'

const didYouMean = (nearest: string | undefined): string | undefined =>
  nearest === undefined ? undefined : `Did you mean ${nearest}?`

/** Names and types: what can be judged value by value. */
export const shapeEntries = {
  'unknown-option': error((facts: { name: string; nearest: string | undefined; place: string }) => ({
    message: `${facts.name} is not an option.`,
    why: 'It would change nothing, and what you meant by it would silently not happen.',
    fix: didYouMean(facts.nearest) ?? `Remove it, or look its name up among the options of ${facts.place}.`,
  })),
  'unknown-key': error(
    (facts: { name: string; nearest: string | undefined; place: string; known: readonly string[] }) => ({
      message: `${facts.name} has no meaning in ${facts.place}.`,
      why: 'It would change nothing, and what you meant by it would silently not happen.',
      fix: didYouMean(facts.nearest) ?? `Remove it; what can stand here is ${listOf(facts.known, 'or')}.`,
    }),
  ),
  'misplaced-option': error((facts: { name: string; place: string; group: string }) => ({
    message: `${facts.name} is an option and cannot stand directly in ${facts.place}.`,
    why: 'It would not be read here.',
    fix: `Put it one level deeper, under ${facts.group}:`,
  })),
  'alias-and-name': error((facts: { name: string; other: string }) => ({
    message: `${facts.name} is another spelling of ${facts.other}, and both are given.`,
    why: 'Only one of the two could hold, and nothing says which.',
    fix: 'Remove one of them.',
  })),
  'wrong-type': error((facts: { name: string; wants: string; got: string; fix: string }) => ({
    message: `${facts.name} wants ${facts.wants}, not ${facts.got}.`,
    why: 'The value cannot be used as it is; the default was assumed for the rest of this check.',
    fix: facts.fix,
  })),
  'no-value': error((facts: { name: string; wants: string; secret: boolean }) => ({
    message: `${facts.name} has no value.`,
    why: facts.secret
      ? 'Nothing follows the colon, or what follows starts with a character that YAML reads as something else.'
      : `It wants ${facts.wants}.`,
    fix: facts.secret
      ? "Put the value in single quotes: '…' (and write a single quote inside it twice)."
      : 'Write a value after the colon, or remove the line.',
  })),
  'missing-unit': error((facts: { name: string; number: string }) => ({
    message: `${facts.name} is a length of time, and ${facts.number} has no unit.`,
    why: 'Seconds and milliseconds differ by a thousand; guessing would be wrong for half of the readers.',
    fix: `Write ${facts.number}s for seconds, ${facts.number}ms for milliseconds or ${facts.number}m for minutes.`,
  })),
  'missing-key': error((facts: { name: string; place: string; example: string }) => ({
    message: `${facts.name} is missing in ${facts.place}.`,
    why: 'Nothing can be assumed for it.',
    fix: `Add for example: ${facts.example}`,
  })),
  'reference-not-secret': error((facts: { name: string; tag: string }) => ({
    message: `${facts.name} cannot be read with !${facts.tag}.`,
    why: 'Only secrets are read from elsewhere; everything else stands in the file, where it can be reviewed.',
    fix: 'Write the value itself.',
  })),
  'bad-reference': error((facts: { name: string; tag: string; wants: string; example: string }) => ({
    message: `!${facts.tag} of ${facts.name} wants ${facts.wants}.`,
    why: 'As it stands the secret cannot be read.',
    fix: `Write for example: ${facts.example}`,
  })),
  'bad-cluster-name': error((_: Record<never, never>) => ({
    message: 'The cluster name is not made of lower-case letters, digits and hyphens (1 to 40 of them).',
    why: 'It becomes part of the names of services and files on every host.',
    fix: 'Write for example: cluster: alpha',
  })),
  'bad-name': error((facts: { what: string }) => ({
    message: `This is not a name that ${facts.what} can have.`,
    why: 'It goes into certificates and addresses, which allow letters, digits, hyphens and dots only.',
    fix: 'Write for example: db1 or db1.example.org',
  })),
} as const
