import { isAddress } from '../../base/address.ts'
import type { Destination } from '../destination.ts'
import { knownHostsLookup, knownHostsName } from '../hostKeys/hostKeyPolicy.ts'
import { entriesFor, type KnownHost, onlyAuthority } from '../hostKeys/knownHosts.ts'

/**
 * Builds the known_hosts lines of a server under the one name that ssh looks up: its own files may have them under the
 * name in the YAML, too, and a revoked key is revoked under each name.
 */
export function trustedLines(
  to: Destination,
  entries: readonly KnownHost[],
): { readonly lines: readonly string[]; readonly alias?: string } {
  const lookup = knownHostsLookup(to)
  const alias = aliasOf(to, entries)
  const name = alias ?? knownHostsName(to).toLowerCase()
  const { exact, plain } = entriesFor(entries, lookup)
  // A key of another port must not replace the known one of this port.
  const isKnown = exact.some(({ marker }) => marker === undefined)
  const more = isKnown ? plain.filter(({ marker }) => marker !== undefined) : plain
  const lines = [...new Set([...exact, ...more])].map(({ marker, type, key }) =>
    [...(marker === undefined ? [] : [`@${marker}`]), name, type, key.toString('base64')].join(' '),
  )
  return { lines, ...(alias === undefined ? {} : { alias }) }
}

/** A certificate names hosts rather than addresses: the name in the YAML stands for an IP address. */
function aliasOf({ address, port, check }: Destination, entries: readonly KnownHost[]): string | undefined {
  const [, name] = check.names
  if (check.alias !== undefined || name === undefined || !isAddress(address)) return undefined
  const authority = onlyAuthority(entries, knownHostsLookup({ port, check }))
  return authority === undefined ? undefined : name.toLowerCase()
}
