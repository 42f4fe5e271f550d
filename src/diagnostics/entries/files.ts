import { error } from '../entry.ts'

/** Quotes a pattern, so that no shell expands it. */
const quoted = (name: string): string => (/[*?]/.test(name) ? `'${name}'` : name)

/** Unreadable files, and assignments on the command line. */
export const fileEntries = {
  'file-not-found': error((facts: { name: string; isDefault: boolean; mayBeHost?: boolean }) => ({
    message: `There is no file ${facts.name}.`,
    why: 'Every command needs this file.',
    fix: facts.isDefault
      ? 'Pass your file as the last argument or in MUSTER_FILE, or create an example with: muster init'
      : facts.mayBeHost === true
        ? `To name the host ${facts.name}, use --host ${quoted(facts.name)}; an argument alone is a YAML file.`
        : 'Check the spelling, or create an example with: muster init FILE',
  })),
  'file-is-directory': error((facts: { name: string }) => ({
    message: `${facts.name} is a directory.`,
    why: 'A configuration is one YAML file or several.',
    fix: `Pass the file in it, such as ${facts.name.replace(/\/+$/, '')}/muster.yaml`,
  })),
  'file-unreadable': error((facts: { name: string; reason: string }) => ({
    message: `${facts.name} cannot be read: ${facts.reason}.`,
    why: 'Every command needs this file.',
    fix: 'Check the owner and the permissions of the file with ls -l.',
  })),
  'file-too-large': error((facts: { size: number; limit: number }) => ({
    message: `The file has ${Math.ceil(facts.size / 1_000_000)} MB; the limit is ${facts.limit / 1_000_000} MB.`,
    why: 'A configuration of a thousand hosts is well under 1 MB, so this is probably the wrong file.',
    fix: 'Check that this is the file you meant.',
  })),
  'file-not-utf8': error((facts: { offset: number }) => ({
    message: `The file is not UTF-8: the byte at position ${facts.offset} is not part of a character.`,
    why: 'YAML is Unicode text; in another encoding, muster would read wrong names and passwords.',
    fix: 'Save the file as UTF-8, or convert it: iconv -f ISO-8859-1 -t UTF-8 OLD > NEW',
  })),
  'too-many-findings': error((facts: { more: number }) => ({
    message: `${facts.more} more findings are not listed.`,
    why: 'So many findings usually have one cause: the wrong file, or a mistake near the top.',
    fix: 'Fix the first ones, then validate again.',
  })),
  'stdin-twice': error((_: Record<never, never>) => ({
    message: 'Standard input is used more than once.',
    why: 'It can be read only once.',
    fix: 'Use "-" for one file or one --set, and a file (--set name=@FILE) for the others.',
  })),
  'set-not-assignment': error((_: Record<never, never>) => ({
    message: 'The argument of --set is not name=value.',
    why: 'Without an equals sign, the option and its value are not clear.',
    fix: 'Write, for example: --set log-level=debug',
  })),
  'set-secret-literal': error((facts: { name: string }) => ({
    message: `The value of ${facts.name} is a secret and must not be written on the command line.`,
    why: 'Every user of this machine can see command lines (ps), and shells keep them in their history.',
    fix: `Use --set ${facts.name}=- to read it from standard input, or --set ${facts.name}=@FILE to read a file.`,
  })),
} as const
