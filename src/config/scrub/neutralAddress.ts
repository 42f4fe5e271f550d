import { canonicalAddress, impossibleAddress, isLoopback, isWildcard } from '../../base/address.ts'
import type { Pseudonyms } from './pseudonyms.ts'

/** The documentation ranges of RFC 5737. */
const ranges = ['192.0.2', '198.51.100', '203.0.113']

/** Addresses of a range that a host can have: neither .0 nor .255. */
const perRange = 254

/** The n-th IPv4 address for examples; beyond those of RFC 5737 the benchmark range of RFC 2544. */
function fourth(number: number): string {
  const index = number - 1
  const range = ranges[Math.floor(index / perRange)]
  const last = (index % perRange) + 1
  if (range !== undefined) return `${range}.${last}`
  const block = Math.floor(index / perRange) - ranges.length
  return `198.${18 + ((block >> 8) & 1)}.${block & 255}.${last}`
}

/** The n-th IPv6 address of the documentation range (RFC 3849), in canonical form. */
function sixth(number: number): string {
  const [high, low] = [Math.floor(number / 0x10000), number % 0x10000]
  return high === 0 ? `2001:db8::${low.toString(16)}` : `2001:db8::${high.toString(16)}:${low.toString(16)}`
}

/**
 * An address for examples in place of a real one; what means the same everywhere stays: loopback, all interfaces,
 * whole networks, broadcast. Undefined for what is no address.
 */
export function neutralAddress(text: string, names: Pseudonyms): string | undefined {
  if (impossibleAddress(text) !== undefined) return text
  const address = canonicalAddress(text)
  if (address === undefined) return undefined
  if (isLoopback(address) || isWildcard(address)) return text
  return address.includes(':')
    ? sixth(names.number('address6', address))
    : fourth(names.number('address4', address))
}

/** What takes the place of a text that looks like an IPv4 address and is none, such as 10.0.0.300. */
export function neutralWrongAddress(text: string, names: Pseudonyms): string | undefined {
  if (!/^\d+(\.\d+)+$/.test(text)) return undefined
  return `192.0.2.${255 + names.number('wrong4', text)}`
}
