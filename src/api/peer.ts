import { addressBytes, addressText } from '../base/address.ts'

/**
 * Whose address of a TCP peer this is, as far as one can tell: IPv4 as it is, also mapped into IPv6; of IPv6 the
 * first 64 bits. A host can choose the others at will (RFC 4291 section 2.5.1, RFC 8981), so they tell nobody apart.
 */
export function peerNetwork(address: string): string {
  const bytes = addressBytes(address)
  if (bytes === undefined) return address
  if (bytes.length === 4) return addressText(bytes)
  const groups = [0, 2, 4, 6].map((at) => bytes.readUInt16BE(at).toString(16))
  return `${groups.join(':')}::/64`
}
