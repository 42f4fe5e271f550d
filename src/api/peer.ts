/** Whether an address of a TCP peer is this host's loopback; IPv4 may come mapped into IPv6. */
export const isLoopback = (address: string | undefined): boolean =>
  address === '::1' || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address ?? '')

/** The eight groups of an IPv6 address that holds no IPv4 address, without leading zeros. */
export function groupsOf(address: string): readonly string[] {
  const [head = '', tail] = address.replace(/%.*$/, '').toLowerCase().split('::')
  const groups = (text: string): readonly string[] => (text === '' ? [] : text.split(':'))
  const before = groups(head)
  const after = groups(tail ?? '')
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return [...before, ...zeros, ...after].slice(0, 8).map((group) => group.replace(/^0+(?=.)/, ''))
}

/** IPv4 address, also of one that is mapped into IPv6; undefined for any other. */
export const ipv4Of = (address: string): string | undefined =>
  /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1]

/**
 * Whose address of a TCP peer this is, as far as one can tell: IPv4 as it is, also mapped into IPv6; of IPv6 the
 * first 64 bits. A host can choose the others at will (RFC 4291 section 2.5.1, RFC 8981), so they tell nobody apart.
 */
export function peerNetwork(address: string): string {
  const ipv4 = ipv4Of(address)
  if (ipv4 !== undefined) return ipv4
  return address.includes(':') ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address
}
