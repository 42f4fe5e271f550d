import { isoDate } from '../../base/time.ts'
import { listOf } from '../../base/words.ts'
import { leadsTo } from '../../certificates/leadsTo.ts'
import { covers } from '../../certificates/leafProblems.ts'
import { certificatesOf } from '../../certificates/pem.ts'
import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { namesOf } from '../desired/names.ts'
import type { CertificateOrigin } from './expected.ts'
import type { FoundCertificate, HostCertificates } from './hostCertificates.ts'
import type { LookedAt } from './judgeCertificates.ts'

/** One certificate of a host, and how a sentence about it begins. */
type Named = { readonly what: string; readonly found: FoundCertificate }

/** What `ownStores` finds about the certificate itself, which is judged here as it lies on the host. */
const judgedHere = ['keystore-expired', 'keystore-not-yet-valid', 'keystore-names-do-not-cover']

/** The findings about the certificates of one host. */
export function judgeHost(
  looked: LookedAt,
  around: { readonly now: Date; readonly span: Span },
): readonly Diagnostic[] {
  const { certificates, known } = looked
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
    ...distinct(certificates).flatMap((one) => judgeOne(one, { looked, ...around })),
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
    ...(problem === undefined || judgedHere.includes(problem.code)
      ? []
      : [diagnose('certificate-keystore', { host, reason: problem.message, fix: problem.fix }, place)]),
  ]
}

/** Each certificate of a host once: the one on disk, and others that are served. */
function distinct({ host, onDisk, components }: HostCertificates): readonly Named[] {
  const served = new Map<string, { readonly found: FoundCertificate; readonly by: string[] }>()
  for (const { component, served: found } of components) {
    if (found === undefined || found.facts.fingerprint === onDisk?.facts.fingerprint) continue
    const known = served.get(found.facts.fingerprint)
    if (known === undefined) served.set(found.facts.fingerprint, { found, by: [component] })
    else known.by.push(component)
  }
  const lying = served.size === 0 ? `The certificate of ${host}` : `The certificate on the disk of ${host}`
  return [
    ...(onDisk === undefined ? [] : [{ what: lying, found: onDisk }]),
    ...[...served.values()].map(({ found, by }) => ({
      what: `The certificate that ${listOf(by)} of ${host} ${by.length === 1 ? 'serves' : 'serve'}`,
      found,
    })),
  ]
}

function judgeOne(
  { what, found }: Named,
  around: { readonly looked: LookedAt; readonly now: Date; readonly span: Span },
): readonly Diagnostic[] {
  const { looked, now, span } = around
  const { host, certificates, known } = looked
  const leaf = certificatesOf(found.chain)?.[0]
  if (leaf === undefined || known === undefined) return []
  const of = { what, host: host.name, origin: certificates.origin }
  const place = { span, host: host.name }
  const { facts } = found
  const { authorities } = known.expected
  const missing = namesOf(host, known.facts).required.filter((name) => !covers(leaf, name))
  return [
    ...timeFindings({ of, found, now, warningDays: host.tls.warningDays, span }),
    ...(missing.length === 0
      ? []
      : [diagnose('certificate-names', { ...of, missing, has: facts.names }, place)]),
    ...(authorities.length === 0 || leadsTo(found.chain, authorities)
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
