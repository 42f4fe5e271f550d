import { addressAndPort } from '../../base/address.ts'
import { isoDate } from '../../base/time.ts'
import { listOf, shortListOf } from '../../base/words.ts'
import { leafFacts } from '../../certificates/certificateFacts.ts'
import { isTrustedBy } from '../../certificates/chain.ts'
import { coversName, outsideValidity } from '../../certificates/leafProblems.ts'
import { certificatePem, certificatesOf } from '../../certificates/pem.ts'
import type { HostConfig } from '../../config/model.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
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

type AuthorityFacts = { subject: string; day: string; hosts: readonly string[] }

const expiresWith = (facts: AuthorityFacts): string =>
  `All certificates signed by ${facts.subject} expire with it: ${shortListOf(facts.hosts, 8)}.`

const authorityExpired = finding('authority-expired', (facts: AuthorityFacts) => ({
  message: `The authority ${facts.subject} expired on ${facts.day}.`,
  why: expiresWith(facts),
  fix: "Create a new authority, renew the hosts' certificates with it, and give clients its certificate.",
}))

const authorityExpiresSoon = finding(
  'authority-expires-soon',
  (facts: AuthorityFacts & { days: number }) => ({
    message: `The authority ${facts.subject} expires on ${facts.day}, in ${facts.days} days.`,
    why: expiresWith(facts),
    fix: 'Create a new authority while this one is valid, and give clients its certificate in time.',
  }),
)

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
    if (Date.parse(facts.notAfter) < now.getTime()) return [authorityExpired(parameters, place)]
    const warningDays = Math.max(...having.map(({ host }) => host.tls.warningDays))
    return days < warningDays ? [authorityExpiresSoon({ ...parameters, days }, place)] : []
  })
}

/** A certificate; `what` begins a sentence: `The certificate of db1`. */
type CertificateFacts = {
  readonly what: string
  readonly host: string
  readonly origin: CertificateOrigin | 'database'
}

const certificateOtherAuthority = finding(
  'certificate-other-authority',
  (facts: CertificateFacts & { others: readonly string[] }) => ({
    message: `${facts.what} is not trusted by ${shortListOf(facts.others, 8)}.`,
    why: 'Components of these hosts call each other over TLS, each with its own truststore.',
    fix: 'Use certificates from one authority on all hosts, or add both authorities to every truststore.',
  }),
)

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
    return [certificateOtherAuthority(facts, { span: at(host.name), host: host.name })]
  })
}

/** One certificate of a host; `what` is the subject of sentences about it. */
type NamedCertificate = { readonly what: string; readonly found: FoundCertificate }

/** Codes of `ownStores` about the certificate itself; this file checks the certificate that is on the host. */
const checkedHere = ['keystore-expired', 'keystore-not-yet-valid', 'keystore-names-do-not-cover']

const certificateNotServed = finding(
  'certificate-not-served',
  (facts: { host: string; components: readonly string[] }) => ({
    message: `The ${listOf(facts.components)} of ${facts.host} ${facts.components.length === 1 ? 'serves' : 'serve'} a different certificate from the one on disk.`,
    why: 'A running server loads a new certificate within seconds, unless it rejects it.',
    fix: `Run muster logs --host ${facts.host} to see why; muster restart --host ${facts.host} loads it again.`,
  }),
)

const certificateNotSeen = finding(
  'certificate-not-seen',
  (facts: { host: string; component: string; reason: string }) => ({
    message: `The ${facts.component} of ${facts.host} presents no certificate: ${facts.reason}`,
    why: 'Clients cannot connect to it, and its certificate is unknown.',
    fix: `Run muster status and muster logs --host ${facts.host}.`,
  }),
)

const certificateMissing = finding('certificate-missing', (facts: { host: string }) => ({
  message: `${facts.host} is installed, but no certificate can be read from its disk.`,
  why: 'Its components cannot restart without one.',
  fix: `Run muster install --host ${facts.host}.`,
}))

const certificatePending = finding(
  'certificate-pending',
  (facts: { host: string; origin: CertificateOrigin }) => ({
    message: `${facts.host} does not have the new certificate from ${facts.origin !== 'yours' ? 'the state directory' : 'its keystore on this machine'} yet.`,
    why: 'The next install writes it; until then the host uses the previous one.',
    fix: `Run muster install --host ${facts.host}.`,
  }),
)

const certificateKeystore = finding(
  'certificate-keystore',
  (facts: { host: string; reason: string; fix: string }) => ({
    message: `The stores named in the file for ${facts.host} cannot be used: ${facts.reason}`,
    why: 'muster install refuses to run with them.',
    fix: facts.fix,
  }),
)

const certificateHostUnreachable = finding(
  'certificate-host-unreachable',
  (facts: { host: string; reason: string }) => ({
    message: `${facts.host} is unreachable: ${facts.reason}`,
    why: 'Its certificate is unknown.',
    fix: `Run muster check --host ${facts.host}; if the host is down on purpose, exclude it with --host.`,
  }),
)

const certificateHostFailed = finding(
  'certificate-host-failed',
  (facts: { host: string; reason: string }) => ({
    message: `${facts.host} could not be checked: ${facts.reason}`,
    why: 'Its certificate is unknown.',
    fix: `Run muster check --host ${facts.host}.`,
  }),
)

const certificateNotInstalled = finding('certificate-not-installed', (facts: { host: string }) => ({
  message: `${facts.host} is in the file, but nothing is installed there.`,
  why: 'It has no certificate yet, so there is nothing to check.',
  fix: `Run muster install --host ${facts.host}, or exclude the host with --host.`,
}))

/** How a server takes up a new certificate; without LOCAL a replica of MariaDB would write a transaction of its own. */
const reloadTls = 'FLUSH LOCAL SSL (MariaDB) or ALTER INSTANCE RELOAD TLS (MySQL)'

const certificateDatabase = finding(
  'certificate-database',
  (facts: { host: string; place: string; reason: string; unproven: boolean }) => ({
    message: facts.unproven
      ? `The database of ${facts.host} did not prove itself: ${facts.reason}`
      : `The certificate of the database of ${facts.host} is unknown: ${facts.reason}`,
    why: facts.unproven
      ? 'No manager logs in there, so none of them can make it the primary.'
      : 'Only a login shows which certificate the database serves now.',
    fix: facts.unproven
      ? `Give the server a certificate that database-tls-authority proves, and run ${reloadTls} there. On ${facts.host}, \`openssl s_client -starttls mysql -connect ${facts.place}\` shows the present one.`
      : `Run muster check --host ${facts.host}.`,
  }),
)

/** Returns the findings about the certificates of one host. */
function checkHost(
  inspected: InspectedHost,
  around: { readonly now: Date; readonly span: Span },
): readonly Diagnostic[] {
  const { certificates, known } = inspected
  const { host, state, detail: reason = '', onDisk, components, origin } = certificates
  const place = { span: around.span, host }
  if (state === 'unreachable') return [certificateHostUnreachable({ host, reason }, place)]
  if (state === 'not-installed') return [certificateNotInstalled({ host }, place)]
  if (state === 'failed' || known === undefined) return [certificateHostFailed({ host, reason }, place)]
  const { problem } = known.expected
  const others = components.filter(
    ({ served }) => served !== undefined && served.facts.fingerprint !== onDisk?.facts.fingerprint,
  )
  const unseen = components.filter(({ listen, served }) => listen !== null && served === undefined)
  return [
    ...(onDisk === undefined ? [certificateMissing({ host }, place)] : []),
    ...distinctCertificates(certificates).flatMap((one) => checkCertificate(one, { inspected, ...around })),
    ...(others.length === 0 || onDisk === undefined
      ? []
      : [certificateNotServed({ host, components: others.map(({ component }) => component) }, place)]),
    ...unseen.map(({ component, detail = reason }) =>
      certificateNotSeen({ host, component, reason: detail }, place),
    ),
    ...(certificates.expected === undefined ? [] : [certificatePending({ host, origin }, place)]),
    ...(problem === undefined || checkedHere.includes(problem.code)
      ? []
      : [certificateKeystore({ host, reason: problem.message, fix: problem.fix }, place)]),
    ...databaseFindings(inspected, around),
  ]
}

/** Its authority and names are checked by the login itself. */
function databaseFindings(
  { host: { name: host, tls }, certificates: { database } }: InspectedHost,
  { now, span }: { readonly now: Date; readonly span: Span },
): readonly Diagnostic[] {
  if (database === undefined) return []
  const { served, detail: reason = '', unproven = false, listen } = database
  if (served === undefined) {
    const at = addressAndPort(listen.address, listen.port)
    return [certificateDatabase({ host, place: at, reason, unproven }, { span, host })]
  }
  const of = { what: `The certificate of the database of ${host}`, host, origin: 'database' as const }
  return timeFindings({ of, found: served, now, warningDays: tls.warningDays, span })
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

/** Explains how to replace the certificate of a host, or of its database. */
function renewalFix({ host, origin }: CertificateFacts): string {
  switch (origin) {
    case 'database':
      return `Put a renewed certificate into the files of ssl_cert and ssl_key of the server, then run ${reloadTls} there.`
    case 'muster':
      return `Run muster cert renew --host ${host}; it restarts nothing.`
    case 'yours':
      return 'Put a renewed certificate into the keystore named in the file, then run muster install.'
    case 'outside':
      return `Request a new one with muster cert csr --host ${host}, then run muster cert import and muster install. Or return to the cluster's own authority: muster cert renew --own-authority --host ${host}`
  }
}

const certificateNames = finding(
  'certificate-names',
  (facts: CertificateFacts & { missing: readonly string[]; has: readonly string[] }) => ({
    message: `${facts.what} is not valid for ${listOf(facts.missing, 'or')}.`,
    why: `Clients accept a server only under a name in its certificate; this one has ${facts.has.length === 0 ? 'none' : shortListOf(facts.has, 8)}.`,
    fix: renewalFix(facts),
  }),
)

const certificateUntrusted = finding(
  'certificate-untrusted',
  (facts: CertificateFacts & { issuer: string; trusted: string }) => ({
    message: `${facts.what} does not chain to ${facts.trusted}; its issuer is ${facts.issuer}.`,
    why: 'Clients and the other components trust only that authority and refuse the connection.',
    fix:
      facts.origin !== 'yours'
        ? `Run muster install --host ${facts.host}; it writes the certificate from the state directory.`
        : 'Add the authority that signed it to the truststore named in the file, then run muster install.',
  }),
)

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
    ...(missing.length === 0 ? [] : [certificateNames({ ...of, missing, has: facts.names }, place)]),
    ...(authorities.length === 0 || isTrustedBy(found.chain, authorities)
      ? []
      : [
          certificateUntrusted(
            { ...of, issuer: facts.issuer, trusted: trusted(authorities, of.origin) },
            place,
          ),
        ]),
  ]
}

const certificateExpired = finding('certificate-expired', (facts: CertificateFacts & { day: string }) => ({
  message: `${facts.what} expired on ${facts.day}.`,
  why: outsideValidity,
  fix: renewalFix(facts),
}))

const certificateNotYetValid = finding(
  'certificate-not-yet-valid',
  (facts: CertificateFacts & { day: string }) => ({
    message: `${facts.what} is valid only from ${facts.day}.`,
    why: outsideValidity,
    fix: "Check this machine's clock. If it is right, wait, or use a certificate that is valid now.",
  }),
)

const certificateExpiresSoon = finding(
  'certificate-expires-soon',
  (facts: CertificateFacts & { day: string; days: number; warningDays: number }) => ({
    message: `${facts.what} expires on ${facts.day}, in ${facts.days} days.`,
    why: `tls-warning-days is ${facts.warningDays}; the certificate should be renewed before it expires.`,
    fix: renewalFix(facts),
  }),
)

function timeFindings(options: {
  readonly of: CertificateFacts
  readonly found: FoundCertificate
  readonly now: Date
  readonly warningDays: number
  readonly span: Span
}): readonly Diagnostic[] {
  const { of, found, now, warningDays, span } = options
  const { notBefore, notAfter, daysLeft: days } = found.facts
  const place = { span, host: of.host }
  if (now.getTime() < Date.parse(notBefore)) {
    return [certificateNotYetValid({ ...of, day: isoDate(notBefore) }, place)]
  }
  if (now.getTime() > Date.parse(notAfter)) {
    return [certificateExpired({ ...of, day: isoDate(notAfter) }, place)]
  }
  if (days >= warningDays) return []
  return [certificateExpiresSoon({ ...of, day: isoDate(notAfter), days, warningDays }, place)]
}

function trusted(authorities: readonly string[], origin: CertificateOrigin): string {
  if (origin === 'yours') return 'its truststore'
  const [subject = ''] = authorities.flatMap((pem) => certificatesOf(pem)?.[0]?.subject ?? [])
  return `the authority ${subject}`
}
