import { warning } from '../entry.ts'

/** What is wrong with a comment that silences findings. */
export const ignoreEntries = {
  'ignore-without-reason': warning((facts: { code: string | undefined }) => ({
    message:
      facts.code === undefined
        ? 'This comment names neither a finding nor a reason, so it silences nothing.'
        : 'This comment gives no reason, so it silences nothing.',
    why: 'Whoever reads the file later must be able to judge whether the finding may still be ignored.',
    fix: `Say why after the code: # muster-ignore: ${facts.code ?? 'CODE'} REASON`,
  })),
  'ignore-unknown-code': warning((facts: { code: string | undefined; nearest: string | undefined }) => ({
    message: `${facts.code ?? 'What stands here'} is not the code of any finding.`,
    why: 'Nothing is silenced by it, and what you meant goes on being reported.',
    fix:
      facts.nearest === undefined
        ? 'Copy the code from the finding: it stands after the word warning or note. The reason comes last.'
        : `Did you mean ${facts.nearest}?`,
  })),
  'ignore-unused': warning((facts: { code: string; line: number | undefined }) => ({
    message:
      facts.line === undefined
        ? `There is no line after this comment on which ${facts.code} could be found.`
        : `${facts.code} is not found on line ${facts.line}, so there is nothing to silence.`,
    why: 'It misleads whoever reads it, and would hide a later finding that nobody has judged.',
    fix: 'Remove it. A comment alone on its line is about the next line, any other about its own.',
  })),
  'ignore-error': warning((facts: { code: string }) => ({
    message: `${facts.code} is an error, and errors cannot be silenced.`,
    why: 'With an error in it the file cannot be used, whatever a comment says.',
    fix: 'Correct what the finding says, and remove the code from this comment.',
  })),
} as const
