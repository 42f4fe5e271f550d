import type { X509Certificate } from 'node:crypto'
import { canonicalAddress } from '../base/address.ts'
import { isoDate } from '../base/time.ts'
import { shortListOf } from '../base/words.ts'
import { dayMs } from './profile.ts'
import { type StoreProblem, storeFinding } from './storeProblem.ts'

/** Returns true if a certificate is valid for a DNS name or an IP address; ignores its common name. */
export function coversName(certificate: X509Certificate, nameOrAddress: string): boolean {
  const address = canonicalAddress(nameOrAddress)
  if (address !== undefined) return certificate.checkIP(address) !== undefined
  return certificate.checkHost(nameOrAddress, { subject: 'never' }) !== undefined
}

/** Reason of findings about the validity of a certificate. */
export const outsideValidity =
  'Clients that verify certificates, such as tapi and curl, refuse a certificate outside its validity period.'

const keystoreNotYetValid = storeFinding('keystore-not-yet-valid', (hosts, { day }: { day: string }) => ({
  message: `The certificate of ${hosts} is valid only from ${day}.`,
  why: outsideValidity,
  fix: "Check this machine's clock. If it is right, wait, or use a certificate that is valid now.",
}))

const keystoreExpired = storeFinding('keystore-expired', (hosts, { day }: { day: string }) => ({
  message: `The certificate of ${hosts} expired on ${day}.`,
  why: outsideValidity,
  fix: 'Put a renewed certificate into the keystore.',
}))

const keystoreExpiresSoon = storeFinding(
  'keystore-expires-soon',
  (hosts, { day, days }: { day: string; days: number }) => ({
    message: `The certificate of ${hosts} expires on ${day}, in ${days} ${days === 1 ? 'day' : 'days'}.`,
    why: outsideValidity,
    fix: 'Renew it now, or lower tls-warning-days.',
  }),
)

/** Checks the validity of a leaf; only `keystore-expires-soon` is a warning. */
export function timeProblem(options: {
  readonly leaf: X509Certificate
  readonly now: Date
  readonly warningDays: number
}): StoreProblem | undefined {
  const { leaf, now, warningDays } = options
  const begin = Date.parse(leaf.validFrom)
  const end = Date.parse(leaf.validTo)
  if (now.getTime() < begin) return keystoreNotYetValid({ day: isoDate(begin) })
  if (now.getTime() > end) return keystoreExpired({ day: isoDate(end) })
  if (end - now.getTime() > warningDays * dayMs) return undefined
  const days = Math.floor((end - now.getTime()) / dayMs)
  return keystoreExpiresSoon({ day: isoDate(end), days })
}

type NameFacts = { readonly has: readonly string[]; readonly missing: readonly string[] }

const nameMismatch =
  'A client accepts a server only if its certificate has the name or address that the client connects to.'

const names = (words: readonly string[]): string =>
  words.length === 0 ? 'no name at all' : shortListOf(words, 8)

const keystoreNamesDoNotCover = storeFinding('keystore-names-do-not-cover', (hosts, facts: NameFacts) => ({
  message: `The certificate of ${hosts} is valid for ${names(facts.has)}, not for ${names(facts.missing)}.`,
  why: nameMismatch,
  fix: `Use a certificate whose subject alternative names include ${names(facts.missing)}`,
}))

const keystoreNamesPartlyCover = storeFinding('keystore-names-partly-cover', (hosts, facts: NameFacts) => ({
  message: `The certificate of ${hosts} is not valid for ${names(facts.missing)}, only for ${names(facts.has)}.`,
  why: nameMismatch,
  fix: `Use a certificate whose subject alternative names include ${names(facts.missing)}, or connect to the host by a name in the certificate.`,
}))

/** Checks the names of a leaf: an error if it covers no name of the host, a warning if it misses some. */
export function nameProblem(leaf: X509Certificate, wanted: readonly string[]): StoreProblem | undefined {
  const missing = wanted.filter((name) => !coversName(leaf, name))
  if (missing.length === 0) return undefined
  const has = leaf.subjectAltName?.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, '')) ?? []
  const none = missing.length === wanted.length
  return (none ? keystoreNamesDoNotCover : keystoreNamesPartlyCover)({ has, missing })
}
