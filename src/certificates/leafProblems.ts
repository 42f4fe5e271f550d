import type { X509Certificate } from 'node:crypto'
import { canonicalAddress } from '../base/address.ts'
import { isoDate } from '../base/time.ts'
import { dayMs } from './profile.ts'
import { type StoreProblem, storeProblem } from './storeProblem.ts'

/** Returns true if a certificate is valid for a DNS name or an IP address; ignores its common name. */
export function coversName(certificate: X509Certificate, nameOrAddress: string): boolean {
  const address = canonicalAddress(nameOrAddress)
  if (address !== undefined) return certificate.checkIP(address) !== undefined
  return certificate.checkHost(nameOrAddress, { subject: 'never' }) !== undefined
}

/** Reason of findings about the validity of a certificate. */
export const outsideValidity =
  'Clients that verify certificates, such as tapi and curl, refuse a certificate outside its validity period.'

/** Checks the validity of a leaf; only `keystore-expires-soon` is a warning. */
export function timeProblem(options: {
  readonly leaf: X509Certificate
  readonly now: Date
  readonly warningDays: number
}): StoreProblem | undefined {
  const { leaf, now, warningDays } = options
  const begin = Date.parse(leaf.validFrom)
  const end = Date.parse(leaf.validTo)
  if (now.getTime() < begin) return storeProblem('keystore-not-yet-valid', { day: isoDate(begin) })
  if (now.getTime() > end) return storeProblem('keystore-expired', { day: isoDate(end) })
  if (end - now.getTime() > warningDays * dayMs) return undefined
  const days = Math.floor((end - now.getTime()) / dayMs)
  return storeProblem('keystore-expires-soon', { day: isoDate(end), days })
}

/** Checks the names of a leaf: an error if it covers no name of the host, a warning if it misses some. */
export function nameProblem(leaf: X509Certificate, wanted: readonly string[]): StoreProblem | undefined {
  const missing = wanted.filter((name) => !coversName(leaf, name))
  if (missing.length === 0) return undefined
  const has = leaf.subjectAltName?.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, '')) ?? []
  const none = missing.length === wanted.length
  return storeProblem(none ? 'keystore-names-do-not-cover' : 'keystore-names-partly-cover', { has, missing })
}
