import {
  addressBytes,
  addressText,
  canonicalAddress,
  impossibleAddress,
  isHostName,
  isWildcard,
} from '../../base/address.ts'
import { finding } from '../../diagnostics/finding.ts'
import type { YamlNode } from '../document/node.ts'
import { plainList } from './listTypes.ts'
import { type Reading, textOf, textType, type ValueType } from './type.ts'

const networkAddress = finding(
  'network-address',
  (facts: { name: string; address: string; kind: string }) => ({
    message: `${facts.address} is ${facts.kind}, not the address of one host.`,
    why: `${facts.name} needs an address that a network interface can have.`,
    fix: 'Write the address of the host itself, such as 10.0.0.11; 0.0.0.0 listens on all interfaces.',
  }),
)

/** Checks for addresses that no host can have (10.0.0.0) before the type itself does. */
function rejectImpossible<T>(type: ValueType<T>): ValueType<T> {
  const read = (node: YamlNode, name: string): Reading<T> => {
    const text = textOf(node) ?? ''
    const kind = impossibleAddress(text)
    if (kind === undefined) return type.read(node, name)
    return { findings: [networkAddress({ name, address: text, kind }, { span: node.span })] }
  }
  return { ...type, read }
}

/** An address to listen on, in canonical form. */
export const listenAddress: ValueType<string> = rejectImpossible(
  textType({
    wants: 'an IP address',
    example: '0.0.0.0',
    parse: canonicalAddress,
    fix: (text) => (text === 'localhost' ? 'Write 127.0.0.1, or ::1 for IPv6.' : undefined),
  }),
)

/** Address of a host: an IP address in canonical form or a DNS name. */
export const hostAddress: ValueType<string> = rejectImpossible(
  textType({
    wants: 'an IP address or a host name',
    example: '10.0.0.11',
    parse: (text) => {
      const address = canonicalAddress(text)
      if (address === undefined) return isHostName(text) ? text : undefined
      return isWildcard(address) ? undefined : address
    },
    fix: (text) =>
      /[:/@]/.test(text) ? 'Write the address alone, without user, port or https://' : undefined,
  }),
)

/** Bits of the widest network that a list may have: 10.0.0.0/8 is the widest private one (RFC 1918). */
const fewestBits = 8

/** Reads an address, or a network with its bits; `begin` is its first address. */
function networkIn(text: string) {
  const [word = '', length, ...rest] = text.split('/')
  const address = canonicalAddress(word)
  const bytes = addressBytes(address ?? '')
  if (address === undefined || bytes === undefined || rest.length > 0) return undefined
  const bits = length === undefined ? 8 * bytes.length : /^\d{1,3}$/.test(length) ? Number(length) : Infinity
  if (bits > 8 * bytes.length) return undefined
  const begin = bytes.map((byte, at) => byte & (0xff00 >> Math.min(8, Math.max(0, bits - 8 * at))))
  const isWide = bits < fewestBits || isWildcard(address)
  return { address, begin: addressText(Buffer.from(begin)), bits, isWide }
}

/** Addresses and networks of hosts that are believed; everybody is none of them. */
export const networks: ValueType<readonly string[]> = plainList(
  textType({
    wants: 'an IP address or a network, such as 10.0.1.0/24',
    example: '10.0.1.0/24',
    parse: (text) => {
      const network = networkIn(text)
      if (!network || network.isWide || network.begin !== network.address) return undefined
      return text.includes('/') ? `${network.begin}/${network.bits}` : network.begin
    },
    fix: (text) => {
      const network = networkIn(text)
      if (text === '*' || network?.isWide) {
        return 'Name the hosts themselves, or their network: whoever is there may claim to be anybody.'
      }
      return (
        network &&
        `Write ${network.begin}/${network.bits} for the network, or ${network.address} for one host.`
      )
    },
  }),
  'a list of IP addresses and networks',
)
