import { isoDate } from '../../base/time.ts'
import { listOf } from '../../base/words.ts'
import { leafFacts } from '../../certificates/certificateFacts.ts'
import { isTrustedBy } from '../../certificates/chain.ts'
import { coversName } from '../../certificates/leafProblems.ts'
import { certificatePem, certificatesOf } from '../../certificates/pem.ts'
import type { HostConfig } from '../../config/model.ts'
import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { certificateNamesOf } from '../desired/certificateNames.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import type { CertificateOrigin, ExpectedCertificate } from './decideCertificates.ts'
import type { FoundCertificate, HostCertificates } from './hostCertificates.ts'

export type InspectedHost = {
  readonly host: HostConfig
  readonly certificates: HostCertificates
  /** Absent if the host is unreachable. */
  readonly known?: { readonly facts: HostFacts; readonly expected: ExpectedCertificate }
}

/**
 * Returns all findings about the certificates of hosts and their authorities. `at` returns the position of a host in
 * its file, or of the file itself without a host.
 */
export function checkCertificates(options: {
  readonly hosts: readonly InspectedHost[]
  readonly now: Date
  readonly at: (host: string | undefined) => Span
}): readonly Diagnostic[] {
  const { hosts, now, at } = options
  return [
    ...authorityFindings(options),
    ...hosts.flatMap((one) => checkHost(one, { now, span: at(one.host.name) })),
    ...untrustedHosts(hosts, at),
  ]
}

/** Returns the authorities that clients of a host trust if they are known here, otherwise the end of its own chain. */
function trustOf({ certificates, known }: InspectedHost): readonly string[] {
  const { authorities = [] } = known?.expected ?? {}
  if (authorities.length > 0) return authorities
  const last = certificatesOf(certificates.onDisk?.chain ?? '')?.at(-1)
  return last === undefined ? [] : [certificatePem(last.raw)]
}

function authorityFindings(options: Parameters<typeof checkCertificates>[0]): readonly Diagnostic[] {
  const { hosts, now, at } = options
  const found = new Map<string, { readonly pem: string; readonly hosts: InspectedHost[] }>()
  for (const one of hosts) {
    for (const pem of one.known === undefined ? [] : one.known.expected.authorities) {
      const known = found.get(pem)
      if (known === undefined) found.set(pem, { pem, hosts: [one] })
      else known.hosts.push(one)
    }
  }
  return [...found.values()].flatMap(({ pem, hosts: trusting }) => {
    const having = trusting.filter(
      ({ certificates: { onDisk } }) => onDisk && isTrustedBy(onDisk.chain, [pem]),
    )
    if (having.length === 0) return []
    const facts = leafFacts(pem, now)
    if (facts === undefined) return []
    const [first] = having
    const place = { span: at(first?.known?.expected.origin === 'yours' ? first.host.name : undefined) }
    const { subject, daysLeft: days } = facts
    const parameters = {
      subject,
      day: facts.notAfter.slice(0, 10),
      hosts: having.map(({ host }) => host.name),
    }
    if (Date.parse(facts.notAfter) < now.getTime()) return [diagnose('authority-expired', parameters, place)]
    const warningDays = Math.max(...having.map(({ host }) => host.tls.warningDays))
    return days < warningDays ? [diagnose('authority-expires-soon', { ...parameters, days }, place)] : []
  })
}

/** Reports hosts with a valid certificate that the other hosts do not trust. */
function untrustedHosts(hosts: readonly InspectedHost[], at: (host: string) => Span): readonly Diagnostic[] {
  // Cached per authority: a thousand hosts often share one.
  const groups = new Map<string, { readonly trust: readonly string[]; readonly hosts: string[] }>()
  for (const one of hosts) {
    const trust = trustOf(one)
    if (trust.length === 0) continue
    const key = [...trust].sort().join('')
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { trust, hosts: [one.host.name] })
    else group.hosts.push(one.host.name)
  }
  if (groups.size < 2) return []
  return hosts.flatMap((one) => {
    const { host, certificates } = one
    const chain = certificates.onDisk?.chain
    if (chain === undefined || !isTrustedBy(chain, trustOf(one))) return []
    const others = [...groups.values()].filter(({ trust }) => !isTrustedBy(chain, trust))
    if (others.length === 0) return []
    const what = `The certificate of ${host.name}`
    const facts = {
      what,
      host: host.name,
      origin: certificates.origin,
      others: others.flatMap((group) => group.hosts),
    }
    return [diagnose('certificate-other-authority', facts, { span: at(host.name), host: host.name })]
  })
}

/** One certificate of a host; `what` is the subject of sentences about it. */
type NamedCertificate = { readonly what: string; readonly found: FoundCertificate }

/** Codes of `ownStores` about the certificate itself; this file checks the certificate that is on the host. */
const checkedHere = ['keystore-expired', 'keystore-not-yet-valid', 'keystore-names-do-not-cover']

/** Returns the findings about the certificates of one host. */
function checkHost(
  inspected: InspectedHost,
  around: { readonly now: Date; readonly span: Span },
): readonly Diagnostic[] {
  const { certificates, known } = inspected
  const { host, state, detail: reason = '', onDisk, components, origin } = certificates
  const place = { span: around.span, host }
  if (state === 'unreachable') return [diagnose('certificate-host-unreachable', { host, reason }, place)]
  if (state === 'not-installed') return [diagnose('certificate-not-installed', { host }, place)]
  if (state === 'failed' || known === undefined) {
    return [diagnose('certificate-host-failed', { host, reason }, place)]
  }
  const { problem } = known.expected
  const others = components.filter(
    ({ served }) => served !== undefined && served.facts.fingerprint !== onDisk?.facts.fingerprint,
  )
  const unseen = components.filter(({ listen, served }) => listen !== null && served === undefined)
  return [
    ...(onDisk === undefined ? [diagnose('certificate-missing', { host }, place)] : []),
    ...distinctCertificates(certificates).flatMap((one) => checkCertificate(one, { inspected, ...around })),
    ...(others.length === 0 || onDisk === undefined
      ? []
      : [
          diagnose(
            'certificate-not-served',
            { host, components: others.map(({ component }) => component) },
            place,
          ),
        ]),
    ...unseen.map(({ component, detail = reason }) =>
      diagnose('certificate-not-seen', { host, component, reason: detail }, place),
    ),
    ...(certificates.expected === undefined
      ? []
      : [diagnose('certificate-pending', { host, origin }, place)]),
    ...(problem === undefined || checkedHere.includes(problem.code)
      ? []
      : [diagnose('certificate-keystore', { host, reason: problem.message, fix: problem.fix }, place)]),
  ]
}

/** Returns each certificate of a host once: the one on disk, and others that are served. */
function distinctCertificates({ host, onDisk, components }: HostCertificates): readonly NamedCertificate[] {
  const served = new Map<string, { readonly found: FoundCertificate; readonly by: string[] }>()
  for (const { component, served: found } of components) {
    if (found === undefined || found.facts.fingerprint === onDisk?.facts.fingerprint) continue
    const known = served.get(found.facts.fingerprint)
    if (known === undefined) served.set(found.facts.fingerprint, { found, by: [component] })
    else known.by.push(component)
  }
  const onDiskSubject =
    served.size === 0 ? `The certificate of ${host}` : `The certificate on the disk of ${host}`
  return [
    ...(onDisk === undefined ? [] : [{ what: onDiskSubject, found: onDisk }]),
    ...[...served.values()].map(({ found, by }) => ({
      what: `The certificate that ${listOf(by)} of ${host} ${by.length === 1 ? 'serves' : 'serve'}`,
      found,
    })),
  ]
}

function checkCertificate(
  { what, found }: NamedCertificate,
  around: { readonly inspected: InspectedHost; readonly now: Date; readonly span: Span },
): readonly Diagnostic[] {
  const { inspected, now, span } = around
  const { host, certificates, known } = inspected
  const leaf = certificatesOf(found.chain)?.[0]
  if (leaf === undefined || known === undefined) return []
  const of = { what, host: host.name, origin: certificates.origin }
  const place = { span, host: host.name }
  const { facts } = found
  const { authorities } = known.expected
  const missing = certificateNamesOf(host, known.facts).required.filter((name) => !coversName(leaf, name))
  return [
    ...timeFindings({ of, found, now, warningDays: host.tls.warningDays, span }),
    ...(missing.length === 0
      ? []
      : [diagnose('certificate-names', { ...of, missing, has: facts.names }, place)]),
    ...(authorities.length === 0 || isTrustedBy(found.chain, authorities)
      ? []
      : [
          diagnose(
            'certificate-untrusted',
            { ...of, issuer: facts.issuer, trusted: trusted(authorities, of.origin) },
            place,
          ),
        ]),
  ]
}

function timeFindings(options: {
  readonly of: { readonly what: string; readonly host: string; readonly origin: CertificateOrigin }
  readonly found: FoundCertificate
  readonly now: Date
  readonly warningDays: number
  readonly span: Span
}): readonly Diagnostic[] {
  const { of, found, now, warningDays, span } = options
  const { notBefore, notAfter, daysLeft: days } = found.facts
  const place = { span, host: of.host }
  if (now.getTime() < Date.parse(notBefore)) {
    return [diagnose('certificate-not-yet-valid', { ...of, day: isoDate(notBefore) }, place)]
  }
  if (now.getTime() > Date.parse(notAfter)) {
    return [diagnose('certificate-expired', { ...of, day: isoDate(notAfter) }, place)]
  }
  if (days >= warningDays) return []
  return [diagnose('certificate-expires-soon', { ...of, day: isoDate(notAfter), days, warningDays }, place)]
}

function trusted(authorities: readonly string[], origin: CertificateOrigin): string {
  if (origin === 'yours') return 'its truststore'
  const [subject = ''] = authorities.flatMap((pem) => certificatesOf(pem)?.[0]?.subject ?? [])
  return `the authority ${subject}`
}
