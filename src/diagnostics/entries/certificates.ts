import { listOf, shortListOf } from '../../base/words.ts'
import { error, warning } from '../entry.ts'

/** A certificate; `what` begins a sentence: `The certificate of db1`. */
type CertificateFacts = { readonly what: string; readonly host: string; readonly origin: Origin }

/** Certificate made by muster, from a keystore that the file names, or imported from an outside authority. */
type Origin = 'muster' | 'yours' | 'outside'

const outsideValidity =
  'Clients that verify certificates, such as tapi and curl, refuse a certificate outside its validity period.'

/** Explains how to replace the certificate of a host. */
function renewalFix({ host, origin }: CertificateFacts): string {
  switch (origin) {
    case 'muster':
      return `Run muster cert renew --host ${host}; it restarts nothing.`
    case 'yours':
      return 'Put a renewed certificate into the keystore named in the file, then run muster install.'
    case 'outside':
      return `Request a new one with muster cert csr --host ${host}, then run muster cert import and muster install. Or return to the cluster's own authority: muster cert renew --own-authority --host ${host}`
  }
}

const expiresWith = (facts: { subject: string; hosts: readonly string[] }): string =>
  `All certificates signed by ${facts.subject} expire with it: ${shortListOf(facts.hosts, 8)}.`

/** Certificates on the hosts, checked by `muster cert check`. */
export const certificateEntries = {
  'certificate-expired': error((facts: CertificateFacts & { day: string }) => ({
    message: `${facts.what} expired on ${facts.day}.`,
    why: outsideValidity,
    fix: renewalFix(facts),
  })),
  'certificate-not-yet-valid': error((facts: CertificateFacts & { day: string }) => ({
    message: `${facts.what} is valid only from ${facts.day}.`,
    why: outsideValidity,
    fix: "Check this machine's clock. If it is right, wait, or use a certificate that is valid now.",
  })),
  'certificate-expires-soon': warning(
    (facts: CertificateFacts & { day: string; days: number; warningDays: number }) => ({
      message: `${facts.what} expires on ${facts.day}, in ${facts.days} days.`,
      why: `tls-warning-days is ${facts.warningDays}; the certificate should be renewed before it expires.`,
      fix: renewalFix(facts),
    }),
  ),
  'certificate-names': error(
    (facts: CertificateFacts & { missing: readonly string[]; has: readonly string[] }) => ({
      message: `${facts.what} is not valid for ${listOf(facts.missing, 'or')}.`,
      why: `Clients accept a server only under a name in its certificate; this one has ${facts.has.length === 0 ? 'none' : shortListOf(facts.has, 8)}.`,
      fix: renewalFix(facts),
    }),
  ),
  'certificate-untrusted': error((facts: CertificateFacts & { issuer: string; trusted: string }) => ({
    message: `${facts.what} does not chain to ${facts.trusted}; its issuer is ${facts.issuer}.`,
    why: 'Clients and the other components trust only that authority and refuse the connection.',
    fix:
      facts.origin !== 'yours'
        ? `Run muster install --host ${facts.host}; it writes the certificate from the state directory.`
        : 'Add the authority that signed it to the truststore named in the file, then run muster install.',
  })),
  'certificate-other-authority': error((facts: CertificateFacts & { others: readonly string[] }) => ({
    message: `${facts.what} is not trusted by ${shortListOf(facts.others, 8)}.`,
    why: 'Components of these hosts call each other over TLS, each with its own truststore.',
    fix: 'Use certificates from one authority on all hosts, or add both authorities to every truststore.',
  })),
  'certificate-not-served': error((facts: { host: string; components: readonly string[] }) => ({
    message: `The ${listOf(facts.components)} of ${facts.host} ${facts.components.length === 1 ? 'serves' : 'serve'} a different certificate from the one on disk.`,
    why: 'A running server loads a new certificate within seconds, unless it rejects it.',
    fix: `Run muster logs --host ${facts.host} to see why; muster restart --host ${facts.host} loads it again.`,
  })),
  'certificate-not-seen': error((facts: { host: string; component: string; reason: string }) => ({
    message: `The ${facts.component} of ${facts.host} presents no certificate: ${facts.reason}`,
    why: 'Clients cannot connect to it, and its certificate is unknown.',
    fix: `Run muster status and muster logs --host ${facts.host}.`,
  })),
  'certificate-missing': error((facts: { host: string }) => ({
    message: `${facts.host} is installed, but no certificate can be read from its disk.`,
    why: 'Its components cannot restart without one.',
    fix: `Run muster install --host ${facts.host}.`,
  })),
  'certificate-pending': warning((facts: { host: string; origin: Origin }) => ({
    message: `${facts.host} does not have the new certificate from ${facts.origin !== 'yours' ? 'the state directory' : 'its keystore on this machine'} yet.`,
    why: 'The next install writes it; until then the host uses the previous one.',
    fix: `Run muster install --host ${facts.host}.`,
  })),
  'certificate-keystore': error((facts: { host: string; reason: string; fix: string }) => ({
    message: `The stores named in the file for ${facts.host} cannot be used: ${facts.reason}`,
    why: 'muster install refuses to run with them.',
    fix: facts.fix,
  })),
  'certificate-host-unreachable': error((facts: { host: string; reason: string }) => ({
    message: `${facts.host} is unreachable: ${facts.reason}`,
    why: 'Its certificate is unknown.',
    fix: `Run muster check --host ${facts.host}; if the host is down on purpose, exclude it with --host.`,
  })),
  'certificate-host-failed': error((facts: { host: string; reason: string }) => ({
    message: `${facts.host} could not be checked: ${facts.reason}`,
    why: 'Its certificate is unknown.',
    fix: `Run muster check --host ${facts.host}.`,
  })),
  'certificate-not-installed': warning((facts: { host: string }) => ({
    message: `${facts.host} is in the file, but nothing is installed there.`,
    why: 'It has no certificate yet, so there is nothing to check.',
    fix: `Run muster install --host ${facts.host}, or exclude the host with --host.`,
  })),
  'authority-expired': error((facts: { subject: string; day: string; hosts: readonly string[] }) => ({
    message: `The authority ${facts.subject} expired on ${facts.day}.`,
    why: expiresWith(facts),
    fix: "Create a new authority, renew the hosts' certificates with it, and give clients its certificate.",
  })),
  'authority-expires-soon': warning(
    (facts: { subject: string; day: string; days: number; hosts: readonly string[] }) => ({
      message: `The authority ${facts.subject} expires on ${facts.day}, in ${facts.days} days.`,
      why: expiresWith(facts),
      fix: 'Create a new authority while this one is valid, and give clients its certificate in time.',
    }),
  ),
} as const
