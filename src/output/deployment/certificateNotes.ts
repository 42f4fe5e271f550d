import { listOf, shortListOf } from '../../base/words.ts'
import type { HostCertificates } from '../../deployment/certificates/hostCertificates.ts'

/**
 * Lists notes below a table of certificates: hosts without a response, differences, and outside authorities.
 */
export function certificateNotes(hosts: readonly HostCertificates[]): readonly string[] {
  const each = hosts.flatMap(({ host, detail, onDisk, components, database }) => {
    if (detail !== undefined) return [`${host}: ${detail}`]
    const others = components.filter(
      ({ served }) => served !== undefined && served.facts.fingerprint !== onDisk?.facts.fingerprint,
    )
    const names = listOf(others.map(({ component }) => component))
    return [
      ...components.flatMap((one) =>
        one.detail === undefined ? [] : `${host}: ${one.component}: ${one.detail}`,
      ),
      ...(others.length === 0
        ? []
        : [
            `${host}: ${names}: the served certificate differs from the one on disk; see the log for the reason, and run muster restart to reload it`,
          ]),
      ...(database?.detail === undefined ? [] : [`${host}: database: ${database.detail}`]),
    ]
  })
  const pending = hosts.filter(({ expected, origin }) => expected !== undefined && origin !== 'yours')
  const userProvided = hosts.filter(({ origin }) => origin === 'yours')
  const changed = userProvided.filter(({ expected }) => expected !== undefined)
  const noteFor = (some: readonly HostCertificates[], what: string): readonly string[] =>
    some.length === 0
      ? []
      : [
          `${shortListOf(
            some.map(({ host }) => host),
            8,
          )}: ${what}`,
        ]
  return [
    ...each,
    ...noteFor(
      pending,
      'the state directory has a different certificate, which the next muster install deploys',
    ),
    ...noteFor(
      changed,
      'the keystore of the file has a different certificate, which the next muster install deploys',
    ),
    ...noteFor(userProvided, 'your own keystore, never renewed by muster'),
    ...noteFor(
      hosts.filter(({ origin }) => origin === 'outside'),
      "signed by an external authority, never renewed by muster; muster cert renew --own-authority returns to the cluster's own authority",
    ),
  ]
}
