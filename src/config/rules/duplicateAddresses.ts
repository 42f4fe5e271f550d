import { isLoopback } from '../../base/address.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import type { ResolvedCluster, ResolvedHost } from '../resolve/resolved.ts'
import { host as fields } from '../settings/places.ts'
import { ssh } from '../settings/ssh.ts'
import { givenFor } from '../shape/draft.ts'

const placeOf = (host: ResolvedHost): Span => givenFor(host.draft.fields, fields.address)?.span ?? host.span

/**
 * Identifies a machine. Loopback with its own SSH port is a tunnel to another machine. Behind different jump
 * hosts equal addresses are different machines: each network has its 10.0.0.1.
 */
function machineOf(host: ResolvedHost): string {
  const address = host.address.toLowerCase()
  const tunnel = isLoopback(address) || address === 'localhost'
  const jumps = (host.ssh(ssh.jump).value ?? []).map(({ value }) => value)
  return [address, ...(tunnel ? [host.ssh(ssh.port).value ?? 22] : []), ...jumps].join(' ')
}

const duplicateAddress = finding(
  'duplicate-address',
  (facts: { host: string; other: string; address: string }) => ({
    message: `${facts.host} has the address ${facts.address}, which ${facts.other} already has.`,
    why: 'Both would be installed on the same machine, and the second would overwrite the first.',
    fix: 'Correct one of the two addresses.',
  }),
)

/** Finds hosts with the same SSH address; local hosts are this machine anyway. */
export function duplicateAddresses({ hosts }: ResolvedCluster): readonly Diagnostic[] {
  const first = new Map<string, ResolvedHost>()
  return hosts.flatMap((host) => {
    if (host.connection === 'local') return []
    const other = first.get(machineOf(host))
    if (other === undefined) {
      first.set(machineOf(host), host)
      return []
    }
    // Names that are the same have a finding of their own.
    if (other.name.toLowerCase() === host.name.toLowerCase()) return []
    const related = [{ message: `${other.name} has it here.`, span: placeOf(other) }]
    const facts = { host: host.name, other: other.name, address: host.address }
    return [duplicateAddress(facts, { span: placeOf(host), related })]
  })
}
