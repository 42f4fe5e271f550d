/** IPv4 within IPv6 (RFC 4291, section 2.5.5.2). */
const mappedPrefix = Buffer.from('00000000000000000000ffff', 'hex')

/**
 * Parses an IP address: 4 bytes for IPv4, also when mapped into IPv6 (`::ffff:10.0.0.1`), 16 for IPv6; a zone
 * (`%eth0`) is ignored. Returns undefined for anything else, such as a name.
 */
export function addressBytes(text: string): Buffer | undefined {
  if (!text.includes(':')) return ipv4Bytes(text)
  const bytes = ipv6Bytes(text.replace(/%.*$/, ''))
  return bytes && unmapped(bytes)
}

const unmapped = (bytes: Buffer): Buffer =>
  bytes.length === 16 && bytes.subarray(0, 12).equals(mappedPrefix) ? bytes.subarray(12) : bytes

function ipv4Bytes(text: string): Buffer | undefined {
  const parts = text.split('.')
  const good =
    parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
  return good ? Buffer.from(parts.map(Number)) : undefined
}

function ipv6Bytes(text: string): Buffer | undefined {
  const halves = text.split('::')
  const [head, tail] = halves.map((half, index) => groupBytes(half, index === halves.length - 1))
  if (head === undefined || halves.length > 2) return undefined
  if (halves.length === 1) return head.length === 16 ? head : undefined
  if (tail === undefined || head.length + tail.length > 14) return undefined
  return Buffer.concat([head, Buffer.alloc(16 - head.length - tail.length), tail])
}

/** Parses `a:b:c`, or at the end of an address `a:b:1.2.3.4`; undefined when a group is wrong. */
function groupBytes(text: string, atEnd: boolean): Buffer | undefined {
  if (text === '') return Buffer.alloc(0)
  const parts = text.split(':')
  const bytes = parts.map((part, index) => {
    if (atEnd && index === parts.length - 1 && part.includes('.')) return ipv4Bytes(part)
    if (!/^[0-9a-f]{1,4}$/i.test(part)) return undefined
    return Buffer.from(part.padStart(4, '0'), 'hex')
  })
  const good = bytes.filter((one) => one !== undefined)
  return good.length === bytes.length ? Buffer.concat(good) : undefined
}

/** Writes an address of 4 or 16 bytes in canonical form: dotted for IPv4, RFC 5952 for IPv6. */
export function addressText(address: Buffer): string {
  const bytes = unmapped(address)
  if (bytes.length === 4) return [...bytes].join('.')
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16))
  // The longest run of at least two zero groups, and the first of equals (RFC 5952, section 4.2).
  const runs = [
    ...groups
      .map((group) => (group === '0' ? '0' : '-'))
      .join('')
      .matchAll(/0{2,}/g),
  ]
  const [longest] = runs.sort((a, b) => b[0].length - a[0].length || a.index - b.index)
  if (longest === undefined) return groups.join(':')
  const end = longest.index + longest[0].length
  return `${groups.slice(0, longest.index).join(':')}::${groups.slice(end).join(':')}`
}

/**
 * Returns the canonical form of an IP address (an IPv4 address mapped into IPv6 becomes IPv4); undefined with
 * a zone.
 */
export function canonicalAddress(text: string): string | undefined {
  const bytes = text.includes('%') ? undefined : addressBytes(text)
  return bytes && addressText(bytes)
}

export const isAddress = (text: string): boolean => addressBytes(text) !== undefined

/** Returns true for 127.0.0.0/8 and `::1`: only the host itself reaches a listener there. */
export function isLoopback(address: string): boolean {
  const bytes = addressBytes(address)
  return bytes?.length === 4 ? bytes[0] === 127 : bytes !== undefined && addressText(bytes) === '::1'
}

/**
 * Returns true for `0.0.0.0` and `::`: a listener there takes all interfaces, and nothing can connect to
 * them.
 */
export const isWildcard = (address: string): boolean =>
  addressBytes(address)?.every((byte) => byte === 0) ?? false

/**
 * Returns true if one port cannot be opened at both addresses: `::` takes IPv4 too, as Node.js listens on it;
 * `0.0.0.0` takes every IPv4 address.
 */
export function overlaps(one: string, other: string): boolean {
  const [a, b] = [canonicalAddress(one) ?? one, canonicalAddress(other) ?? other]
  if (a === b || a === '::' || b === '::') return true
  if (a === '0.0.0.0') return !b.includes(':')
  if (b === '0.0.0.0') return !a.includes(':')
  return false
}

/** Returns the address to connect to a listener from its own host: loopback for a wildcard. */
export function connectableAddress(listenAddress: string): string {
  if (!isWildcard(listenAddress)) return listenAddress
  return listenAddress.includes(':') ? '::1' : '127.0.0.1'
}

/** Writes a name or an address for a URL: IPv6 in brackets (RFC 3986, section 3.2.2). */
export const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address)

/** Writes `10.0.0.11:8090`, `[2001:db8::1]:8090`. */
export const addressAndPort = (address: string, port: number | string): string =>
  `${bracketed(address)}:${port}`

/**
 * Names the kind of an address that no host can have, such as `a network address`; undefined for other
 * addresses.
 */
export function impossibleAddress(text: string): string | undefined {
  const prefix = /^(.+)\/\d{1,3}$/.exec(text)?.[1]
  if (prefix !== undefined && canonicalAddress(prefix) !== undefined) return 'a whole network'
  const octets = ipv4Bytes(text)
  if (octets === undefined) return undefined
  const [first = 0, , , last = 0] = octets
  if (text === '255.255.255.255') return 'the broadcast address'
  if (first >= 224 && first < 240) return 'a multicast address'
  if (text !== '0.0.0.0' && (last === 0 || first === 0)) return 'a network address'
  return undefined
}

const dnsLabel = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const dnsName = new RegExp(`^(?=.{1,253}$)${dnsLabel}(\\.${dnsLabel})*$`)

/**
 * Returns true if a host can have this name (RFC 1123). Digits and dots alone are a wrong IPv4 address, not a
 * name.
 */
export const isHostName = (text: string): boolean => dnsName.test(text) && !/^[\d.]+$/.test(text)

/** Returns a port as /proc/net/tcp has it (proc(5)). */
export const kernelPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0')
