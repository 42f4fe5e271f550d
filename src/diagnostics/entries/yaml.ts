import { error, fixHidden, whyHidden } from '../entry.ts'

const unreadable = 'muster cannot read the rest of the file reliably, so it uses none of it.'

/** YAML syntax, before any option is checked. */
export const yamlEntries = {
  'empty-file': error((_: Record<never, never>) => ({
    message: 'The file has no configuration: it is empty or has only comments.',
    why: 'A configuration needs at least a cluster name, hosts and services.',
    fix: 'Create a commented example with: muster init FILE',
  })),
  'not-a-mapping': error((facts: { got: string }) => ({
    message: `The file has ${facts.got} where names with values are expected.`,
    why: unreadable,
    fix: 'Start with a line such as "cluster: alpha"; muster init writes a whole example.',
  })),
  'several-documents': error((_: Record<never, never>) => ({
    message: 'A second YAML document starts here.',
    why: 'A configuration is one document, and it is not clear which one is meant.',
    fix: 'Remove the "---" line, or move the second document to its own file and pass both: muster validate A B',
  })),
  'nul-character': error((_: Record<never, never>) => ({
    message: 'The file contains a NUL character.',
    why: 'The file is damaged or in another format, such as UTF-16.',
    fix: 'Save the file again as plain UTF-8 text.',
  })),
  'too-deep': error((facts: { limit: number }) => ({
    message: `Values are nested more than ${facts.limit} levels deep.`,
    why: 'A configuration needs five levels; the rest of the file was not read.',
    fix: 'Look for a bracket or brace that is opened and never closed.',
  })),
  'not-yaml': error((facts: { detail: string }) => ({
    message: `This is not YAML: ${facts.detail}.`,
    why: unreadable,
    fix: 'Write each option as "name: value", one per line, and quote values with special characters.',
  })),
  'not-closed': error((facts: { what: string; close: string }) => ({
    message: `${facts.what} is opened and never closed.`,
    why: unreadable,
    fix: `Add the missing ${facts.close}.`,
  })),
  'bad-indent': error((_: Record<never, never>) => ({
    message: 'The indentation does not fit the lines around it.',
    why: 'YAML defines groups by indentation alone.',
    fix: 'Indent names of the same group by the same number of spaces, and their contents by two more.',
  })),
  'tab-indent': error((_: Record<never, never>) => ({
    message: 'The line is indented with a tab.',
    why: 'YAML allows only spaces for indentation.',
    fix: 'Replace each tab with two spaces.',
  })),
  'needs-quotes': error((facts: { character: string }) => ({
    message: `A value that starts with ${facts.character} must be quoted.`,
    why: 'This character is reserved in YAML, so the value would not be what you wrote.',
    fix: "Put the value in single quotes: '…' (and write a single quote inside it twice).",
  })),
  'bad-escape': error((_: Record<never, never>) => ({
    message: 'This backslash in double quotes starts no escape sequence known to YAML.',
    why: 'The value would not be what you wrote.',
    fix: "Use single quotes, where a backslash has no special meaning: 'C\\dir'",
  })),
  'duplicate-key': error((facts: { name: string; hidden?: true }) => ({
    message: `${facts.name} is given twice.`,
    why: `Only one of the two can apply, and it is not clear which.${whyHidden(facts)}`,
    fix: fixHidden(facts) ?? 'Remove one of them.',
  })),
  'key-not-text': error((_: Record<never, never>) => ({
    message: 'The name before the colon is a list or a group.',
    why: 'Names of options and hosts must be plain text.',
    fix: 'Write a plain name before the colon.',
  })),
  'unknown-anchor': error((_: Record<never, never>) => ({
    message: 'The anchor that this alias (*…) names is not defined above it.',
    why: 'The alias has no value.',
    fix: "Define it first (&name), or put the value in single quotes if it is meant to start with '*'.",
  })),
  'anchor-loop': error((_: Record<never, never>) => ({
    message: 'This alias (*…) is inside the value that it names.',
    why: 'The value would contain itself endlessly.',
    fix: 'Move the alias out of the value, or name another anchor.',
  })),
  'alias-bomb': error((facts: { limit: number }) => ({
    message: `Aliases (*…) and merges (<<) expand the file to more than ${facts.limit} values.`,
    why: 'Aliases of aliases multiply and could use up the memory of this machine.',
    fix: 'Write the values out, or use defaults: for what all hosts share.',
  })),
  'merge-not-mapping': error((_: Record<never, never>) => ({
    message: 'The merged value (<<) is not a group of names with values.',
    why: 'Only such a group, or a list of them, can be merged into another.',
    fix: 'Merge an anchored group, for example: <<: *common',
  })),
  'unknown-tag': error((facts: { nearest: string | undefined }) => ({
    message: 'The tag (!…) before this value is not known.',
    why: 'Only !env, !file and !exec are known.',
    fix:
      facts.nearest === undefined
        ? "Remove the tag, or put the value in single quotes if it is meant to start with '!'."
        : `Did you mean !${facts.nearest}?`,
  })),
} as const
