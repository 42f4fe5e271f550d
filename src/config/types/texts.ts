import { listOf } from '../../base/words.ts'
import { finding } from '../../diagnostics/finding.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import type { YamlNode } from '../document/node.ts'
import { type Reading, textOf, textType, type ValueType } from './type.ts'

const clusterNamePattern = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/

const plainText = textType({ wants: 'a name', example: 'alpha', parse: (text) => text })

const badClusterName = finding('bad-cluster-name', () => ({
  message: 'The cluster name must have 1 to 40 lower-case letters, digits and hyphens.',
  why: 'It becomes part of the names of services and files on every host.',
  fix: 'Write, for example: cluster: alpha',
}))

/** Name of a cluster, which is used in the names of units and files. */
export const clusterName: ValueType<string> = {
  ...plainText,
  wants: 'a name of at most 40 lower-case letters, digits and hyphens',
  schema: { type: 'string', pattern: clusterNamePattern.source },
  read: (node: YamlNode, name: string): Reading<string> => {
    const text = textOf(node)
    if (text === undefined) return plainText.read(node, name)
    if (clusterNamePattern.test(text)) return { value: text, findings: [] }
    return { findings: [badClusterName({}, { span: node.span })] }
  },
}

/** Name of a host in a service; a rule checks that the host exists. */
export const hostName: ValueType<string> = textType({
  wants: 'the name of a host',
  example: 'db1',
  parse: (text) => (text === '' ? undefined : text),
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\u0000-\u001f\u007f-\u009f]/

/** Adds a pattern to the schema, if JavaScript's and ECMA-262's without flags agree. */
const matching = (pattern: RegExp) => ({
  parse: (text: string) => (pattern.test(text) ? text : undefined),
  ...(pattern.flags === '' ? { schema: { pattern: pattern.source } } : {}),
})

/** Any non-empty text on one line. */
export const line: ValueType<string> = textType({
  wants: 'text on one line',
  example: 'tls',
  parse: (text) => (text === '' || control.test(text) ? undefined : text),
})

/** A path, still relative. */
export const path: ValueType<string> = textType({
  wants: 'a path',
  example: '/opt/muster',
  parse: (text) => (text.trim() === '' || control.test(text) ? undefined : text),
})

/** An absolute path on a host; nothing of it is on this machine. */
export const hostPath: ValueType<string> = textType({
  wants: 'an absolute path on the hosts',
  example: '/etc/mysql/ssl/ca.pem',
  parse: (text) => (text.startsWith('/') && !control.test(text) ? text : undefined),
})

/** Name of an API user, may be empty; a rule checks its characters. */
export const userName: ValueType<string> = textType({
  wants: 'a user name',
  example: 'admin',
  parse: (text) => text,
})

/** Name of an environment variable (POSIX.1-2017, XBD 8.1). */
export const variableName: ValueType<string> = textType({
  wants: 'the name of an environment variable',
  example: 'PAGER_KEY',
  ...matching(/^[A-Za-z_][A-Za-z0-9_]*$/),
})

/** Name of a header of HTTP (RFC 9110, 5.6.2), except those that muster sets itself. */
export const headerName: ValueType<string> = textType({
  wants: 'the name of a header of HTTP, such as Authorization',
  example: 'Authorization',
  ...matching(
    /^(?!(?:Host|Connection|Content-Length|Content-Type|Transfer-Encoding|Idempotency-Key|User-Agent)$)[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/i,
  ),
})

/** A user of the operating system (useradd(8)). */
export const systemUser: ValueType<string> = textType({
  wants: 'the name of a system user: at most 32 lower-case letters, digits, _ and -',
  example: 'muster',
  ...matching(/^[a-z_][a-z0-9_-]{0,31}$/),
})

/** A user to log in as; other systems allow more than useradd does. */
export const loginUser: ValueType<string> = textType({
  wants: 'a user name to log in with',
  example: 'ops',
  ...matching(/^[^\s\p{C}:-][^\s\p{C}:]*$/u),
})

/** SHA-256 fingerprint of a host key, as in `ssh-keygen -lf`. */
export const fingerprint: ValueType<string> = textType({
  wants: 'a fingerprint as "ssh-keygen -lf" prints it: SHA256: and 43 characters',
  example: 'SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8',
  ...matching(/^SHA256:[A-Za-z0-9+/]{43}$/),
})

/** One word of a list; the finding suggests the nearest one. */
export function choice<const W extends string>(words: readonly W[]): ValueType<W> {
  return textType({
    wants: listOf(words, 'or'),
    example: words[0] ?? '',
    schema: { enum: words },
    parse: (text) => words.find((word) => word === text),
    fix: (text) => {
      const near = nearest(text, words)
      return near === undefined ? `Write one of ${listOf(words, 'or')}.` : `Did you mean ${near}?`
    },
  })
}

/** A jump host, as in `ssh -J`: `[user@]host[:port]`, an IPv6 address in brackets. */
export const jumpHost: ValueType<string> = textType({
  wants: 'a jump host as for ssh -J: [user@]host[:port]',
  example: 'bastion.example.org',
  ...matching(/^([^\s@:/]+@)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$/),
  fix: (text) => (text.includes('://') ? 'Remove the part before the name, up to ://' : undefined),
})

/** Name of a user of a database server, which may contain almost anything. */
export const databaseUser = (example: string): ValueType<string> =>
  textType({
    wants: 'the name of a database user, at most 80 characters',
    example,
    parse: (text) => (text === '' || text.length > 80 || control.test(text) ? undefined : text),
  })
