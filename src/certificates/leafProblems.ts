import type { X509Certificate } from 'node:crypto'
import { addressBytes, addressText } from './address.ts'
import { dayMs } from './profile.ts'
import type { StoreProblem } from './storeProblem.ts'

/** Whether a certificate is valid for a DNS name or an IP address; its common name does not count. */
export function covers(certificate: X509Certificate, nameOrAddress: string): boolean {
  const address = addressBytes(nameOrAddress)
  if (address !== undefined) return certificate.checkIP(addressText(address)) !== undefined
  return certificate.checkHost(nameOrAddress, { subject: 'never' }) !== undefined
}

/** The finding about a leaf's time, if any; only `keystore-expires-soon` is a warning. */
export function timeProblem(options: {
  readonly leaf: X509Certificate
  readonly now: Date
  readonly warningDays: number
}): StoreProblem | undefined {
  const { leaf, now, warningDays } = options
  const why = 'clients that verify certificates, as tapi and curl do, refuse it outside its time'
  const begin = Date.parse(leaf.validFrom)
  const end = Date.parse(leaf.validTo)
  if (now.getTime() < begin) {
    return {
      code: 'keystore-not-yet-valid',
      message: `the certificate is valid only from ${day(begin)}`,
      why,
      fix: "check this machine's clock; else wait, or use a certificate that is valid now",
    }
  }
  if (now.getTime() > end) {
    return {
      code: 'keystore-expired',
      message: `the certificate expired on ${day(end)}`,
      why,
      fix: 'put a renewed certificate into the keystore',
    }
  }
  if (end - now.getTime() > warningDays * dayMs) return undefined
  const days = Math.floor((end - now.getTime()) / dayMs)
  return {
    code: 'keystore-expires-soon',
    message: `the certificate expires on ${day(end)}, in ${days} ${days === 1 ? 'day' : 'days'}`,
    why,
    fix: 'renew it now, or lower tls-warning-days',
  }
}

/** The finding about a leaf's names: an error when none of the host's is covered, a warning when some are not. */
export function nameProblem(leaf: X509Certificate, wanted: readonly string[]): StoreProblem | undefined {
  const missing = wanted.filter((name) => !covers(leaf, name))
  if (missing.length === 0) return undefined
  const has = leaf.subjectAltName?.replace(/DNS:|IP Address:/g, '') ?? 'no subject alternative name at all'
  const why =
    'a client accepts a server only when its certificate has the very name or address that it called'
  const fix = `use a certificate whose subject alternative names have ${missing.join(', ')}`
  return missing.length === wanted.length
    ? {
        code: 'keystore-names-do-not-cover',
        message: `the certificate is valid for ${has}, not for ${missing.join(', ')}`,
        why,
        fix,
      }
    : {
        code: 'keystore-names-partly-cover',
        message: `the certificate is not valid for ${missing.join(', ')}, only for ${has}`,
        why,
        fix: `${fix}, or call the host by a name that it has`,
      }
}

const day = (time: number): string => new Date(time).toISOString().slice(0, 10)
