import { createHash, createHmac } from 'node:crypto'

/** One line of a known_hosts file (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT"). */
export type KnownHost = {
  readonly marker?: 'revoked' | 'cert-authority'
  /** The host field as written: patterns with commas, or `|1|salt|hash`. */
  readonly hosts: string
  /** Key type, such as `ssh-ed25519`. */
  readonly type: string
  readonly key: Buffer
  readonly file: string
  /** 1-based. */
  readonly line: number
}

/** Lookup in known_hosts: names, and the port that showed the key. */
export type KnownHostsLookup = { readonly names: readonly string[]; readonly port: number }

type HostKeyCheck =
  | { readonly kind: 'trusted' }
  /** `authority`: an `@cert-authority` line for the host, which is not supported. */
  | { readonly kind: 'unknown'; readonly authority?: KnownHost }
  | { readonly kind: 'changed'; readonly known: KnownHost }
  | { readonly kind: 'revoked'; readonly known: KnownHost }

/** Skips lines that are no host key (comments, protocol 1, damaged ones), like OpenSSH. */
export function parseKnownHosts(text: string, file: string): KnownHost[] {
  return text.split('\n').flatMap((content, index) => {
    const words = content.trim().split(/[ \t]+/)
    const marker = /^@(revoked|cert-authority)$/.exec(words[0] ?? '')?.[1]
    const [hosts, type, base64] = marker === undefined ? words : words.slice(1)
    if (hosts === undefined || type === undefined || base64 === undefined) return []
    if (hosts.startsWith('#') || hosts.startsWith('@')) return []
    const key = Buffer.from(base64, 'base64')
    if (typeOfKey(key) !== type) return []
    const entry = { hosts, type, key, file, line: index + 1 }
    return marker === 'revoked' || marker === 'cert-authority' ? [{ ...entry, marker }] : [entry]
  })
}

/** Reads the type from a public key blob; undefined for other bytes (RFC 4253, section 6.6). */
export function typeOfKey(key: Buffer): string | undefined {
  if (key.length < 4) return undefined
  const length = key.readUInt32BE(0)
  return length > 0 && length < 100 && key.length > 4 + length
    ? key.toString('latin1', 4, 4 + length)
    : undefined
}

/** Formats like `ssh-keygen -l`: `SHA256:` and base64 without padding. */
export const fingerprint = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`

/** Checks a shown key against known_hosts. */
export function checkHostKey(
  entries: readonly KnownHost[],
  asked: KnownHostsLookup,
  key: Buffer,
): HostKeyCheck {
  const { exact, plain } = entriesFor(entries, asked)
  const same = (entry: KnownHost): boolean => entry.key.equals(key)
  const revoked = [...exact, ...plain].find((entry) => entry.marker === 'revoked' && same(entry))
  if (revoked !== undefined) return { kind: 'revoked', known: revoked }
  const keys = exact.filter((entry) => entry.marker === undefined)
  if (keys.some(same)) return { kind: 'trusted' }
  const known = keys.find((entry) => entry.type === typeOfKey(key)) ?? keys[0]
  if (known !== undefined) return { kind: 'changed', known }
  if (plain.some((entry) => entry.marker === undefined && same(entry))) return { kind: 'trusted' }
  const authority = [...exact, ...plain].find((entry) => entry.marker === 'cert-authority')
  return authority === undefined ? { kind: 'unknown' } : { kind: 'unknown', authority }
}

/** Returns the types of the known keys of a host, in the order of the file. */
export function knownTypes(entries: readonly KnownHost[], asked: KnownHostsLookup): string[] {
  const { exact, plain } = entriesFor(entries, asked)
  const types = [...exact, ...plain].filter((entry) => entry.marker === undefined).map((entry) => entry.type)
  return [...new Set(types)]
}

/** Returns the first of the names that matches a line; with its port if that is not 22. */
export const matchingName = ({ hosts }: KnownHost, { names, port }: KnownHostsLookup): string | undefined =>
  names
    .map((name) => (port === 22 ? name : `[${name}]:${port}`))
    .find((name) => matchesHost(hosts, name.toLowerCase()))

/**
 * Returns the first of the names that has a line, with its port if that is not 22, as ssh looks it up; undefined for an
 * unknown host.
 */
export function knownName(
  entries: readonly KnownHost[],
  { names, port }: KnownHostsLookup,
): string | undefined {
  const plain = names.map((name) => name.toLowerCase())
  const wanted = port === 22 ? plain : [...plain.map((name) => `[${name}]:${port}`), ...plain]
  return wanted.find((name) =>
    entries.some((entry) => entry.marker === undefined && matchesHost(entry.hosts, name)),
  )
}

/**
 * Returns the line of a certificate authority that vouches for a host of which no key is known; undefined where a key
 * is known, or nothing.
 */
export function onlyAuthority(entries: readonly KnownHost[], asked: KnownHostsLookup): KnownHost | undefined {
  const { exact, plain } = entriesFor(entries, asked)
  const all = [...exact, ...plain]
  return all.some(({ marker }) => marker === undefined)
    ? undefined
    : all.find(({ marker }) => marker === 'cert-authority')
}

/**
 * Finds the entries of a host. On a port other than 22 it is `[host]:port`. Lines of the plain name (`plain`)
 * may then still accept a key, as in OpenSSH, but never reject one.
 */
export function entriesFor(
  entries: readonly KnownHost[],
  { names, port }: KnownHostsLookup,
): { readonly exact: readonly KnownHost[]; readonly plain: readonly KnownHost[] } {
  const lower = [...new Set(names.map((name) => name.toLowerCase()))]
  const under = (wanted: readonly string[]): KnownHost[] =>
    entries.filter((entry) => wanted.some((name) => matchesHost(entry.hosts, name)))
  if (port === 22) return { exact: under(lower), plain: [] }
  return { exact: under(lower.map((name) => `[${name}]:${port}`)), plain: under(lower) }
}

/**
 * Returns true if the host field of a line matches `name`, which is in lower case and has its port if that is
 * not 22.
 */
export function matchesHost(hosts: string, name: string): boolean {
  if (hosts.startsWith('|')) return matchesHashed(hosts, name)
  const patterns = hosts.toLowerCase().split(',')
  if (patterns.some((pattern) => pattern.startsWith('!') && matchesPattern(pattern.slice(1), name)))
    return false
  return patterns.some((pattern) => !pattern.startsWith('!') && matchesPattern(pattern, name))
}

function matchesHashed(hosts: string, name: string): boolean {
  const [, version, salt, hash] = hosts.split('|')
  if (version !== '1' || salt === undefined || hash === undefined) return false
  const own = createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest()
  return own.equals(Buffer.from(hash, 'base64'))
}

function matchesPattern(pattern: string, name: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`).test(name)
}
