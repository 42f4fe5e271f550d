import { domainToASCII } from 'node:url'
import { addressBytes, addressText, isWildcard } from '../base/address.ts'
import { CertificateError } from './certificateError.ts'

export const dayMs = 86_400_000

/** How far back certificates begin, for hosts whose clocks are behind (milliseconds). */
export const backdateMs = dayMs

/** What a host is called and where it is reached; each list may hold names and addresses. */
export type HostNames = { readonly names: readonly string[]; readonly addresses: readonly string[] }

/** Subject alternative names: DNS names in ASCII and lower case, addresses as bytes. */
export type AlternativeNames = { readonly dns: readonly string[]; readonly addresses: readonly Buffer[] }

/** What every leaf is valid for beside its host's own names: on the host itself, muster-api is called so. */
const everyHost = ['localhost', '127.0.0.1', '::1']

/**
 * Everything a host's leaf must be valid for, without repetition and without `0.0.0.0` and `::`.
 * Throws `CertificateError` (`bad-name`) for what is neither an address nor a DNS name.
 */
export function alternativeNames(host: HostNames): AlternativeNames {
  const dns = new Set<string>()
  const addresses = new Map<string, Buffer>()
  for (const text of [...host.names, ...host.addresses, ...everyHost]) {
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

/** The common name of a subject: at most 64 characters (RFC 5280, appendix A.1, ub-common-name). */
export const commonName = (text: string): string => [...text].slice(0, 64).join('')

/** From 24 hours ago until `days` from now, within the authority's own time where one is given. */
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
