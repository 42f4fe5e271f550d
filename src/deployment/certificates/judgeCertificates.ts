import { leafFacts } from '../../certificates/certificateFacts.ts'
import { leadsTo } from '../../certificates/leadsTo.ts'
import { certificatePem, certificatesOf } from '../../certificates/pem.ts'
import type { HostConfig } from '../../config/model.ts'
import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import type { HostFacts } from '../facts/model.ts'
import type { ExpectedCertificate } from './expected.ts'
import type { HostCertificates } from './hostCertificates.ts'
import { judgeHost } from './judgeHost.ts'

/** What was seen of one host. */
export type LookedAt = {
  readonly host: HostConfig
  readonly certificates: HostCertificates
  /** Absent where the host was not reached. */
  readonly known?: { readonly facts: HostFacts; readonly expected: ExpectedCertificate }
}

/**
 * All findings about the certificates of hosts and their authorities. `at` tells where a host stands in its file,
 * and for no host the file itself.
 */
export function judgeCertificates(options: {
  readonly hosts: readonly LookedAt[]
  readonly now: Date
  readonly at: (host: string | undefined) => Span
}): readonly Diagnostic[] {
  const { hosts, now, at } = options
  return [
    ...authorityFindings(options),
    ...hosts.flatMap((one) => judgeHost(one, { now, span: at(one.host.name) })),
    ...strangers(hosts, at),
  ]
}

/** Whom the clients of a host trust: as far as it is known here, else the end of its own chain. */
function trustOf({ certificates, known }: LookedAt): readonly string[] {
  const { authorities = [] } = known?.expected ?? {}
  if (authorities.length > 0) return authorities
  const last = certificatesOf(certificates.onDisk?.chain ?? '')?.at(-1)
  return last === undefined ? [] : [certificatePem(last.raw)]
}

function authorityFindings(options: Parameters<typeof judgeCertificates>[0]): readonly Diagnostic[] {
  const { hosts, now, at } = options
  const found = new Map<string, { readonly pem: string; readonly hosts: LookedAt[] }>()
  for (const one of hosts) {
    for (const pem of one.known === undefined ? [] : one.known.expected.authorities) {
      const known = found.get(pem)
      if (known === undefined) found.set(pem, { pem, hosts: [one] })
      else known.hosts.push(one)
    }
  }
  return [...found.values()].flatMap(({ pem, hosts: trusting }) => {
    const having = trusting.filter(({ certificates: { onDisk } }) => onDisk && leadsTo(onDisk.chain, [pem]))
    if (having.length === 0) return []
    const facts = leafFacts(pem, now)
    if (facts === undefined) return []
    const [first] = having
    const place = { span: at(first?.known?.expected.origin === 'yours' ? first.host.name : undefined) }
    const { subject, daysLeft: days } = facts
    const told = { subject, day: facts.notAfter.slice(0, 10), hosts: having.map(({ host }) => host.name) }
    if (Date.parse(facts.notAfter) < now.getTime()) return [diagnose('authority-expired', told, place)]
    const warningDays = Math.max(...having.map(({ host }) => host.tls.warningDays))
    return days < warningDays ? [diagnose('authority-expires-soon', { ...told, days }, place)] : []
  })
}

/** Hosts whose certificate serves for themselves, and which others do not trust. */
function strangers(hosts: readonly LookedAt[], at: (host: string) => Span): readonly Diagnostic[] {
  // A thousand hosts of one authority are one question for each, not a thousand.
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
    if (chain === undefined || !leadsTo(chain, trustOf(one))) return []
    const others = [...groups.values()].filter(({ trust }) => !leadsTo(chain, trust))
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
