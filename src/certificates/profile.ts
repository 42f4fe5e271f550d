import { domainToASCII } from 'node:url'
import { addressBytes, addressText, isWildcard } from '../base/address.ts'
import { CertificateError } from './certificateError.ts'

export const dayMs = 86_400_000

/** Milliseconds by which certificates start in the past, for hosts with slow clocks. */
export const backdateMs = dayMs

/** Names and addresses of a host; each list may hold both. */
export type HostNames = { readonly names: readonly string[]; readonly addresses: readonly string[] }

/** Subject alternative names: DNS names in ASCII and lower case, addresses as bytes. */
export type AlternativeNames = { readonly dns: readonly string[]; readonly addresses: readonly Buffer[] }

/** Names in every leaf, for calls on the host itself. */
const localNames = ['localhost', '127.0.0.1', '::1']

/**
 * Collects the names of a host's leaf, without repetition and without `0.0.0.0` and `::`. Throws
 * `CertificateError` (`bad-name`) for other text than an address or a DNS name.
 */
export function alternativeNames(host: HostNames): AlternativeNames {
  const dns = new Set<string>()
  const addresses = new Map<string, Buffer>()
  for (const text of [...host.names, ...host.addresses, ...localNames]) {
    const address = addressBytes(text)
    if (address === undefined) dns.add(dnsName(text))
    else if (!isWildcard(text)) addresses.set(addressText(address), address)
  }
  return { dns: [...dns], addresses: [...addresses.values()] }
}

function dnsName(text: string): string {
  const name = domainToASCII(text.replace(/\.$/, ''))
  if (/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(name) && name.length <= 253) return name
  throw new CertificateError({
    code: 'bad-name',
    message: `\`${text}\` is neither an IP address nor a host name, so no certificate can be valid for it`,
    fix: 'give the host a name of letters, digits and hyphens, or its IP address',
  })
}

/** Cuts the common name to 64 characters (RFC 5280, appendix A.1, ub-common-name). */
export const commonName = (text: string): string => [...text].slice(0, 64).join('')

/** Returns the time from 24 hours ago until `days` from now, within that of the authority, if given. */
export function validity(options: {
  readonly now: Date
  readonly days: number
  readonly within?: { readonly notBefore: Date; readonly notAfter: Date }
}): { readonly notBefore: Date; readonly notAfter: Date } {
  const { now, days, within } = options
  const begin = now.getTime() - backdateMs
  const end = now.getTime() + days * dayMs
  return {
    notBefore: new Date(Math.max(begin, within?.notBefore.getTime() ?? begin)),
    notAfter: new Date(Math.min(end, within?.notAfter.getTime() ?? end)),
  }
}
