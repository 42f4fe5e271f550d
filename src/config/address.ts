const octet = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const dotted = new RegExp(`^${octet}\\.${octet}\\.${octet}\\.${octet}$`)
const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/** The four numbers of an IPv4 address in its usual form, or undefined. */
export function octetsOf(text: string): readonly number[] | undefined {
  return dotted.exec(text)?.slice(1).map(Number)
}

function ipv6(text: string): string | undefined {
  if (!/^[0-9a-fA-F:.]{2,45}$/.test(text) || !text.includes(':')) return undefined
  // The URL parser knows the address grammar (RFC 4291) and writes the canonical form (RFC 5952).
  if (!URL.canParse(`http://[${text}]/`)) return undefined
  return new URL(`http://[${text}]/`).hostname.slice(1, -1)
}

/** The canonical form of an IP address (an IPv4 address in IPv6 clothing becomes IPv4), or undefined. */
export function canonicalAddress(text: string): string | undefined {
  if (octetsOf(text) !== undefined) return text
  const canonical = ipv6(text)
  if (canonical === undefined) return undefined
  const [, high, low] = mapped.exec(canonical) ?? []
  if (high === undefined || low === undefined) return canonical
  const numbers = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return numbers.flatMap((number) => [number >> 8, number & 255]).join('.')
}

/** Whether only this machine reaches what listens there. `address` is canonical. */
export const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.')

/** Whether it means all interfaces. `address` is canonical. */
export const isWildcard = (address: string): boolean => address === '0.0.0.0' || address === '::'

/**
 * Whether one port cannot be opened at both canonical addresses: `::` takes IPv4 too, as Node.js listens on it;
 * `0.0.0.0` takes every IPv4 address.
 */
export function overlaps(a: string, b: string): boolean {
  if (a === b || a === '::' || b === '::') return true
  if (a === '0.0.0.0') return !b.includes(':')
  if (b === '0.0.0.0') return !a.includes(':')
  return false
}

/** What kind of address no host can have this is: `a network address`; undefined for one that a host can have. */
export function impossibleAddress(text: string): string | undefined {
  const prefix = /^(.+)\/\d{1,3}$/.exec(text)?.[1]
  if (prefix !== undefined && canonicalAddress(prefix) !== undefined) return 'a whole network'
  const octets = octetsOf(text)
  if (octets === undefined) return undefined
  const [first = 0, , , last = 0] = octets
  if (text === '255.255.255.255') return 'the broadcast address'
  if (first >= 224 && first < 240) return 'a multicast address'
  if (text !== '0.0.0.0' && (last === 0 || first === 0)) return 'a network address'
  return undefined
}

const label = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const hostName = new RegExp(`^(?=.{1,253}$)${label}(\\.${label})*$`)

/** Whether a host can have this name (RFC 1123); what looks like a wrong IPv4 address is none. */
export const isHostName = (text: string): boolean => hostName.test(text) && !/^[\d.]+$/.test(text)
