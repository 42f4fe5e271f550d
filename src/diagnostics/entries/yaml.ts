import { error } from '../entry.ts'

const unreadable = 'The rest of the file could not be understood with certainty, so nothing of it is used.'

/** What is wrong before any option is looked at: the text is not the YAML that was meant. */
export const yamlEntries = {
  'empty-file': error((_: Record<never, never>) => ({
    message: 'The file holds no configuration: it is empty or has only comments.',
    why: 'At least a cluster name, its hosts and its services are needed.',
    fix: 'Write a commented starting file with: muster init FILE',
  })),
  'not-a-mapping': error((facts: { got: string }) => ({
    message: `The file holds ${facts.got} where names with values are expected.`,
    why: unreadable,
    fix: 'Start with a line such as "cluster: alpha"; muster init writes a whole example.',
  })),
  'several-documents': error((_: Record<never, never>) => ({
    message: 'A second YAML document starts here.',
    why: 'Only one is a configuration; which of them is meant would be a guess.',
    fix: 'Remove the "---" line, or put the second document in a file of its own and give both: muster validate A B',
  })),
  'nul-character': error((_: Record<never, never>) => ({
    message: 'The file holds a NUL character.',
    why: 'Text has none: the file is damaged or is in another format, such as UTF-16.',
    fix: 'Save the file again as plain UTF-8 text.',
  })),
  'too-deep': error((facts: { limit: number }) => ({
    message: `Values are nested more than ${facts.limit} levels deep.`,
    why: 'A configuration needs five; the rest of the file was not looked at.',
    fix: 'Look for a bracket or brace that is opened and never closed.',
  })),
  'not-yaml': error((facts: { detail: string }) => ({
    message: `This is not YAML: ${facts.detail}.`,
    why: unreadable,
    fix: 'Write each option as "name: value", one per line, and quote a value that holds special characters.',
  })),
  'not-closed': error((facts: { what: string; close: string }) => ({
    message: `${facts.what} is opened and never closed.`,
    why: unreadable,
    fix: `Add the missing ${facts.close}.`,
  })),
  'bad-indent': error((_: Record<never, never>) => ({
    message: 'The indentation does not fit the lines around it.',
    why: 'In YAML the indentation alone says what belongs to what.',
    fix: 'Indent names of the same group by the same number of spaces, and what is inside by two more.',
  })),
  'tab-indent': error((_: Record<never, never>) => ({
    message: 'The line is indented with a tab.',
    why: 'YAML allows only spaces there, because editors disagree about the width of a tab.',
    fix: 'Replace each tab by two spaces.',
  })),
  'needs-quotes': error((facts: { character: string }) => ({
    message: `A value that starts with ${facts.character} must be quoted.`,
    why: 'YAML keeps this character for itself, so the value would not be what you wrote.',
    fix: "Put the value in single quotes: '…' (and write a single quote inside it twice).",
  })),
  'bad-escape': error((_: Record<never, never>) => ({
    message: 'A backslash in double quotes starts no escape that YAML knows.',
    why: 'The value would not be what you wrote.',
    fix: "Use single quotes, in which a backslash is just a backslash: 'C\\dir'",
  })),
  'duplicate-key': error((facts: { name: string }) => ({
    message: `${facts.name} is given twice.`,
    why: 'Only one of the two could hold, and nothing says which.',
    fix: 'Remove one of them.',
  })),
  'key-not-text': error((_: Record<never, never>) => ({
    message: 'The name before the colon is a list or a group.',
    why: 'Options and hosts have plain names.',
    fix: 'Write a plain name before the colon.',
  })),
  'unknown-anchor': error((_: Record<never, never>) => ({
    message: 'The anchor that this alias (*…) names is not defined above it.',
    why: 'There is no value to put here.',
    fix: "Define it first (&name), or put the value in single quotes if it is meant to start with '*'.",
  })),
  'anchor-loop': error((_: Record<never, never>) => ({
    message: 'This alias (*…) stands inside the very value that it names.',
    why: 'The value would contain itself without end.',
    fix: 'Move the alias out of the value, or name another anchor.',
  })),
  'alias-bomb': error((facts: { limit: number }) => ({
    message: `Aliases (*…) and merges (<<) blow the file up to more than ${facts.limit} values.`,
    why: 'Aliases of aliases multiply; reading on could use up the memory of this machine.',
    fix: 'Write the values out, or use defaults: for what all hosts share.',
  })),
  'merge-not-mapping': error((_: Record<never, never>) => ({
    message: 'What is merged here (<<) is not a group of names with values.',
    why: 'Only such a group, or a list of them, can be merged into another.',
    fix: 'Merge an anchored group, as in: <<: *common',
  })),
  'unknown-tag': error((facts: { nearest: string | undefined }) => ({
    message: 'The tag (!…) before this value is not known.',
    why: 'Only !env, !file and !exec have a meaning here.',
    fix:
      facts.nearest === undefined
        ? "Remove the tag, or put the value in single quotes if it is meant to start with '!'."
        : `Did you mean !${facts.nearest}?`,
  })),
} as const
