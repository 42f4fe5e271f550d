import { error, warning } from '../entry.ts'
import { listOf, shortListOf } from '../words.ts'

/** Which certificate it is, to begin a sentence: `The certificate of db1`. */
type Of = { readonly what: string; readonly host: string; readonly origin: Origin }

/** Whether muster makes it, it lies in a keystore that the file names, or an outside authority's was imported. */
type Origin = 'muster' | 'yours' | 'outside'

const outsideItsTime = 'Clients that verify certificates, as tapi and curl do, refuse it outside its time.'

/** How a host gets another certificate. */
function renewed({ host, origin }: Of): string {
  switch (origin) {
    case 'muster':
      return `Run muster cert renew --host ${host}: it restarts nothing.`
    case 'yours':
      return 'Put a renewed certificate into the keystore that the file names, then run muster install.'
    case 'outside':
      return `Have another one signed: muster cert csr --host ${host}, then muster cert import and muster install. Or go back to the cluster's own authority: muster cert renew --own-authority --host ${host}`
  }
}

const ended = (facts: { subject: string; hosts: readonly string[] }): string =>
  `All certificates that ${facts.subject} signed end with it: ${shortListOf(facts.hosts, 8)}.`

/** The certificates of hosts as they are now: found by `muster cert check`, which asks the hosts. */
export const certificateEntries = {
  'certificate-expired': error((facts: Of & { day: string }) => ({
    message: `${facts.what} expired on ${facts.day}.`,
    why: outsideItsTime,
    fix: renewed(facts),
  })),
  'certificate-not-yet-valid': error((facts: Of & { day: string }) => ({
    message: `${facts.what} is valid only from ${facts.day}.`,
    why: outsideItsTime,
    fix: "Check this machine's clock; else wait, or use a certificate that is valid now.",
  })),
  'certificate-expires-soon': warning((facts: Of & { day: string; days: number; warningDays: number }) => ({
    message: `${facts.what} expires on ${facts.day}, in ${facts.days} days.`,
    why: `tls-warning-days is ${facts.warningDays}: from then on there should be another one.`,
    fix: renewed(facts),
  })),
  'certificate-names': error((facts: Of & { missing: readonly string[]; has: readonly string[] }) => ({
    message: `${facts.what} is not valid for ${listOf(facts.missing, 'or')}.`,
    why: `A client accepts a server only by a name that its certificate has; this one has ${facts.has.length === 0 ? 'none' : shortListOf(facts.has, 8)}.`,
    fix: renewed(facts),
  })),
  'certificate-untrusted': error((facts: Of & { issuer: string; trusted: string }) => ({
    message: `${facts.what} does not lead to ${facts.trusted}; its issuer is ${facts.issuer}.`,
    why: 'Clients and the other components trust that authority alone, and refuse the connection.',
    fix:
      facts.origin !== 'yours'
        ? `Run muster install --host ${facts.host}: it writes the one that the state directory has.`
        : 'Put the authority that signed it into the truststore that the file names, then run muster install.',
  })),
  'certificate-other-authority': error((facts: Of & { others: readonly string[] }) => ({
    message: `${facts.what} is not trusted by ${shortListOf(facts.others, 8)}.`,
    why: 'Components of these hosts call each other over TLS, each with its own truststore.',
    fix: 'Let all hosts have certificates of one authority, or put both authorities into every truststore.',
  })),
  'certificate-not-served': error((facts: { host: string; components: readonly string[] }) => ({
    message: `The ${listOf(facts.components)} of ${facts.host} ${facts.components.length === 1 ? 'serves' : 'serve'} another certificate than lies on the disk.`,
    why: 'A running server takes up a new certificate within seconds; one that it refuses it leaves alone.',
    fix: `See muster logs --host ${facts.host} for the reason; muster restart --host ${facts.host} reads it again.`,
  })),
  'certificate-not-seen': error((facts: { host: string; component: string; reason: string }) => ({
    message: `The ${facts.component} of ${facts.host} shows no certificate: ${facts.reason}`,
    why: 'Nobody can connect to it, and what it would show is not known.',
    fix: `See muster status and muster logs --host ${facts.host}.`,
  })),
  'certificate-missing': error((facts: { host: string }) => ({
    message: `${facts.host} is installed, and no certificate can be read on its disk.`,
    why: 'Its components cannot start again without one.',
    fix: `Run muster install --host ${facts.host}.`,
  })),
  'certificate-pending': warning((facts: { host: string; origin: Origin }) => ({
    message: `${facts.host} does not have the certificate that ${facts.origin !== 'yours' ? 'the state directory keeps for it' : 'is in its keystore here'}.`,
    why: 'The next installation writes that one; until then the host has the one before.',
    fix: `Run muster install --host ${facts.host}.`,
  })),
  'certificate-keystore': error((facts: { host: string; reason: string; fix: string }) => ({
    message: `The stores of ${facts.host} that the file names do not serve: ${facts.reason}`,
    why: 'muster install refuses the whole run with them.',
    fix: facts.fix,
  })),
  'certificate-host-unreachable': error((facts: { host: string; reason: string }) => ({
    message: `${facts.host} could not be reached: ${facts.reason}`,
    why: 'What it serves is not known.',
    fix: `Run muster check --host ${facts.host}; where the host is down on purpose, leave it out with --host.`,
  })),
  'certificate-host-failed': error((facts: { host: string; reason: string }) => ({
    message: `${facts.host} could not be looked at: ${facts.reason}`,
    why: 'What it serves is not known.',
    fix: `Run muster check --host ${facts.host}.`,
  })),
  'certificate-not-installed': warning((facts: { host: string }) => ({
    message: `${facts.host} is in the file and nothing is installed there.`,
    why: 'It has no certificate yet, so there is nothing to judge.',
    fix: `Run muster install --host ${facts.host}, or leave the host out with --host.`,
  })),
  'authority-expired': error((facts: { subject: string; day: string; hosts: readonly string[] }) => ({
    message: `The authority ${facts.subject} expired on ${facts.day}.`,
    why: ended(facts),
    fix: 'Give the hosts certificates of a new authority, and clients its certificate.',
  })),
  'authority-expires-soon': warning(
    (facts: { subject: string; day: string; days: number; hosts: readonly string[] }) => ({
      message: `The authority ${facts.subject} expires on ${facts.day}, in ${facts.days} days.`,
      why: ended(facts),
      fix: 'Make a new authority while both are valid, and give clients its certificate in time.',
    }),
  ),
} as const
