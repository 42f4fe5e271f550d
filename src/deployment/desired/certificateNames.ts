import { isAddress, isWildcard } from '../../base/address.ts'
import type { HostConfig } from '../../config/model.ts'
import type { HostFacts } from '../facts/hostFacts.ts'

/** What a host is called, for its certificate and for the Host headers that it accepts. */
export type Names = {
  /** What the certificate must cover; without it, it is issued again. */
  readonly required: readonly string[]
  /** The same and all addresses it can be reached at today. */
  readonly all: readonly string[]
}

/**
 * Names and addresses of a host: its name and address in the file, its own host name, and where its APIs
 * listen. An API that listens everywhere adds the host's global addresses.
 */
export function namesOf(host: HostConfig, facts: HostFacts): Names {
  const listening = host.apis.filter((api) => api.enabled).map((api) => api.address)
  const everywhere = listening.some(isWildcard)
  const concrete = listening.filter((address) => !isWildcard(address))
  const required = unique([host.name, host.address, ...hostnames(facts.hostname), ...concrete])
  // In an order of their own: a host tells its addresses in that of its interfaces, which come and go.
  return { required, all: unique([...required, ...(everywhere ? [...facts.addresses].sort() : [])]) }
}

const unique = (words: readonly string[]): readonly string[] => [...new Set(words)]

/** A host name that no certificate can carry is left out rather than failing the host. */
const hostnames = (name: string): readonly string[] =>
  /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(name) ? [name] : []

/** The same list, split as certificates want it. */
export const splitNames = (
  names: readonly string[],
): { readonly names: readonly string[]; readonly addresses: readonly string[] } => ({
  names: names.filter((name) => !isAddress(name)),
  addresses: names.filter(isAddress),
})
