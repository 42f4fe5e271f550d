import { canonicalAddress, impossibleAddress, isHostName, isWildcard } from '../../base/address.ts'
import { finding } from '../../diagnostics/finding.ts'
import type { YamlNode } from '../document/node.ts'
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
