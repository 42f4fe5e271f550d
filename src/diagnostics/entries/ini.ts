import { listOf } from '../../base/words.ts'
import { error, note, warning } from '../entry.ts'

const kept = 'It is kept as a comment at its place in the YAML file.'

/** Import of the product family's INI files. */
export const iniEntries = {
  'ini-not-an-option': error((_: Record<never, never>) => ({
    message: 'The line is neither an option nor a section nor a comment.',
    why: `An option needs a name and an equals sign. ${kept}`,
    fix: 'Write it as name=value, or put a # before it.',
  })),
  'ini-bad-section': error((_: Record<never, never>) => ({
    message: 'This is not the name of a section in brackets.',
    why: 'The section of the options below it is not clear. They are kept as comments in the YAML file.',
    fix: 'Write the name alone on its line, such as [alpha]',
  })),
  'ini-outside-section': error((facts: { name: string }) => ({
    message: `${facts.name} is before the first section.`,
    why: `It is not clear whether it applies to all services or to one. ${kept}`,
    fix: 'If it applies to all services, put [defaults] on a line above it.',
  })),
  'ini-section-twice': warning((facts: { section: string }) => ({
    message: `The section [${facts.section}] is given twice.`,
    why: 'Both are used, as one section. Options in both are easily overlooked.',
    fix: 'Move all options into one of them.',
  })),
  'ini-option-twice': warning((facts: { name: string; other: string }) => ({
    message:
      facts.name === facts.other
        ? `${facts.name} is given twice.`
        : `${facts.name} is another spelling of ${facts.other}, and both are given.`,
    why: 'The later one is used. The earlier one is kept as a comment in the YAML file.',
    fix: 'Remove the wrong one.',
  })),
  'ini-no-value': warning((facts: { name: string }) => ({
    message: `${facts.name} has no value.`,
    why: `Nothing follows the equals sign. ${kept}`,
    fix: 'Write a value, or remove the line.',
  })),
  'ini-no-counterpart': warning(
    (facts: { name: string; reason: string | undefined; nearest: string | undefined }) => ({
      message: `${facts.name} has no counterpart in muster.`,
      why: `${facts.reason === undefined ? '' : `${facts.reason} `}${kept}`,
      fix:
        facts.nearest === undefined
          ? 'Check that you do not need it.'
          : `Did you mean ${facts.nearest}? Otherwise check that you do not need it.`,
    }),
  ),
  'ini-section-without-counterpart': warning((facts: { section: string; reason: string }) => ({
    message: `The section [${facts.section}] has no counterpart in muster.`,
    why: `${facts.reason} All of it is kept as comments in the YAML file.`,
    fix: 'Check that you do not need it.',
  })),
  'ini-topology-assumed': note((facts: { section: string; topology: string; reason: string }) => ({
    message: `The section [${facts.section}] sets no topology; ${facts.topology} is assumed.`,
    why: facts.reason,
    fix: 'Correct the topology in the YAML file if it is wrong.',
  })),
  'ini-renamed': note((facts: { what: string; from: string; to: string; reason: string }) => ({
    message: `The ${facts.what} ${facts.from} is called ${facts.to} in the YAML file.`,
    why: facts.reason,
    fix: 'Do nothing, or choose another name in the YAML file.',
  })),
  'ini-quotes': warning((facts: { name: string; kept: boolean }) => ({
    message: facts.kept
      ? `The quotes around the value of ${facts.name} were kept.`
      : `The quotes around the value of ${facts.name} were removed.`,
    why: facts.kept
      ? 'INI files of the product family have no quoting: everything after the equals sign is the value.'
      : 'INI files of the product family have no quoting, and the value would be invalid with quotes.',
    fix: facts.kept
      ? 'If they are not part of the value, remove them in the YAML file.'
      : 'Remove them from the INI file too.',
  })),
  'ini-value-cut': warning((facts: { name: string }) => ({
    message: `The value of ${facts.name} ends where a comment starts.`,
    why: 'A # or ; after a space starts a comment, also inside a secret. The rest is kept as a comment in the YAML file.',
    fix: 'If it is part of the secret, write the whole secret in the YAML file.',
  })),
  'ini-trailing-backslash': warning((facts: { name: string }) => ({
    message: `The backslash at the end of ${facts.name} was removed.`,
    why: 'It is probably left from a shell command: in an INI file a value cannot continue on the next line.',
    fix: 'If it is part of the value, add it in the YAML file.',
  })),
  'ini-passive-witness': note((facts: { hosts: readonly string[] }) => ({
    message: `${listOf(facts.hosts)} would run a manager.`,
    why: 'Without enable-active-witnesses=true the product family only pings a witness; in muster every witness runs a manager.',
    fix: 'Remove witnesses from the YAML file if this host should run nothing.',
  })),
  'ini-no-service': error((_: Record<never, never>) => ({
    message: 'The file describes no data service.',
    why: 'Without a section for a service, the hosts are unknown.',
    fix: 'Check that this is the right file: a service has a section such as [alpha], with members and a topology.',
  })),
} as const
