import { warning } from '../entry.ts'

/** Comments that silence findings. */
export const ignoreEntries = {
  'ignore-without-reason': warning((facts: { code: string | undefined }) => ({
    message:
      facts.code === undefined
        ? 'This comment names neither a finding nor a reason, so it silences nothing.'
        : 'This comment gives no reason, so it silences nothing.',
    why: 'Later readers of the file must be able to decide whether the finding may still be ignored.',
    fix: `Add the reason after the code: # muster-ignore: ${facts.code ?? 'CODE'} REASON`,
  })),
  'ignore-unknown-code': warning((facts: { code: string | undefined; nearest: string | undefined }) => ({
    message: `${facts.code ?? 'This'} is not the code of a finding.`,
    why: 'The comment silences nothing, and the finding you meant is still reported.',
    fix:
      facts.nearest === undefined
        ? 'Copy the code from the finding, and put the reason after it.'
        : `Did you mean ${facts.nearest}?`,
  })),
  'ignore-unused': warning((facts: { code: string; line: number | undefined }) => ({
    message:
      facts.line === undefined
        ? `No line follows this comment, so it cannot silence ${facts.code}.`
        : `Line ${facts.line} has no finding ${facts.code}, so this comment silences nothing.`,
    why: 'It misleads readers, and would hide a later finding that has not been reviewed.',
    fix: 'Remove it, or move it: after a value it applies to that line, alone on its line to the next line.',
  })),
  'ignore-error': warning((facts: { code: string }) => ({
    message: `${facts.code} is an error, and errors cannot be silenced.`,
    why: 'A file with an error cannot be used.',
    fix: 'Fix the error, and remove the code from this comment.',
  })),
} as const
