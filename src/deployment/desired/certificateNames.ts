import { isAddress, isWildcard } from '../../base/address.ts'
import type { HostConfig } from '../../config/model.ts'
import type { HostFacts } from '../facts/hostFacts.ts'

/** Names of a host, for its certificate and for the Host headers that it accepts. */
type CertificateNames = {
  /** Names that the certificate must cover; if one is missing, it is issued again. */
  readonly required: readonly string[]
  /** The required names and all addresses at which the host can be reached now. */
  readonly all: readonly string[]
}

/**
 * Returns names and addresses of a host: its name and address in the file, its own host name, and where its APIs
 * listen. An API that listens on all addresses adds the host's global addresses.
 */
export function certificateNamesOf(
  host: Pick<HostConfig, 'name' | 'address' | 'apis'>,
  facts: HostFacts,
): CertificateNames {
  const listening = host.apis.filter((api) => api.enabled).map((api) => api.address)
  const everywhere = listening.some(isWildcard)
  const concrete = listening.filter((address) => !isWildcard(address))
  const required = unique([host.name, host.address, ...hostnames(facts.hostname), ...concrete])
  // Sorted, because the host reports addresses in the order of its interfaces, which changes.
  return { required, all: unique([...required, ...(everywhere ? [...facts.addresses].sort() : [])]) }
}

const unique = (words: readonly string[]): readonly string[] => [...new Set(words)]

/** Skips a host name that no certificate can contain, instead of failing the host. */
const hostnames = (name: string): readonly string[] =>
  /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(name) ? [name] : []

/** Splits names into DNS names and IP addresses, as certificates need them. */
export const subjectAltNames = (
  names: readonly string[],
): { readonly names: readonly string[]; readonly addresses: readonly string[] } => ({
  names: names.filter((name) => !isAddress(name)),
  addresses: names.filter(isAddress),
})
