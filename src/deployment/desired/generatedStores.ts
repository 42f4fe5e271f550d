import { type Authority, createAuthority } from '../../certificates/authority.ts'
import { CertificateError } from '../../certificates/certificateError.ts'
import { leafFacts } from '../../certificates/certificateFacts.ts'
import { describeChain } from '../../certificates/chain.ts'
import { openStores } from '../../certificates/checkStores.ts'
import { createHostStores, type HostStores, packHostStores } from '../../certificates/hostStores.ts'
import { leafNeedsRenewal } from '../../certificates/leaf.ts'
import { generatePassword } from '../../certificates/password.ts'
import { certificatesOf } from '../../certificates/pem.ts'
import type { HostConfig } from '../../config/model.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import {
  type ClusterState,
  trustedAuthorities,
  withAuthority,
  withHost,
  withStorePasswords,
} from '../state/clusterState.ts'
import { StepError } from '../stepError.ts'
import { certificateNamesOf, subjectAltNames } from './certificateNames.ts'

/** TLS files of a host, generated or provided by the user. */
export type ResolvedStores = {
  /** Contents by file name; empty if the stores are already on the host. */
  readonly files: ReadonlyMap<string, Buffer>
  readonly key: Secret
  readonly chain: string
  readonly authorities: readonly string[]
  readonly passwords: { readonly keystore?: Secret; readonly truststore?: Secret }
}

/** Passwords of the stores from the file. */
export type StorePasswords = { readonly keystore?: Secret; readonly truststore?: Secret }

/** Returns true if muster makes the host's stores: the file gives no path. */
export const isGenerated = (host: HostConfig): boolean =>
  host.tls.keystorePath === undefined && host.tls.truststorePath === undefined

/**
 * Returns an error if a host has a certificate of this cluster's authority but the state directory lacks its key. A
 * second authority is never made: clients of the first would trust no host.
 */
export function missingAuthorityKey(options: {
  readonly cluster: string
  readonly host: HostConfig
  readonly facts: HostFacts
  readonly state: ClusterState
  readonly now: Date
}): StepError | undefined {
  const { cluster, host, facts, state, now } = options
  const chain =
    facts.installation.chain === undefined ? undefined : describeChain(facts.installation.chain, now)
  if (!isGenerated(host) || chain === undefined || !chain.issuer.includes(`muster ${cluster} authority`)) {
    return undefined
  }
  const ours = [...trustedAuthorities(state), ...(state.retired ?? [])]
  if (state.authority !== undefined && ours.some((authority) => chain.issuedBy(authority))) return undefined
  return new StepError({
    host: host.name,
    code: 'authority-elsewhere',
    message: `its certificate was issued by an authority of ${cluster} whose key is not in this state directory`,
    fix: 'Bring the state from where the cluster was installed: `muster state export --out FILE` there, `muster state import --from FILE` here. If it is lost for good, `muster cert rotate-authority --lost` makes a new authority without an outage. A second one is never made otherwise, since clients trust the first.',
  })
}

/**
 * Returns the state with an authority and store passwords, creating those that are missing, and reports what was
 * created.
 */
export async function ensureAuthority(options: {
  readonly cluster: string
  readonly state: ClusterState
  readonly now: Date
}): Promise<{
  readonly state: ClusterState
  readonly authority: Authority
  readonly notes: readonly string[]
}> {
  const { cluster, now } = options
  const authority = options.state.authority ?? (await createAuthority({ cluster, now }))
  const made = options.state.authority === undefined
  const withKeys = made ? withAuthority(options.state, authority) : options.state
  const state =
    withKeys.storePasswords === undefined
      ? withStorePasswords(withKeys, { keystore: generatePassword(), truststore: generatePassword() })
      : withKeys
  return { state, authority, notes: made ? [`make the certificate authority of ${cluster}`] : [] }
}

/** Returns the generated stores of a host: those of the state if they are still valid, otherwise new ones. */
export async function generatedStores(options: {
  readonly host: HostConfig
  readonly facts: HostFacts
  readonly state: ClusterState
  readonly authority: Authority
  readonly given: StorePasswords
  readonly now: Date
  /** Issues a new certificate even if the present one is valid. */
  readonly renew?: boolean
  /** Replaces a certificate of an outside authority by one of the cluster's authority. */
  readonly ownAuthority?: boolean
  /** Returns true for an authority (PEM) whose key is lost: its certificates are replaced, too. */
  readonly isLost?: (authority: string) => boolean
}): Promise<{
  /** Still holds an outside certificate that is being replaced: the run may fail before verification. */
  readonly state: ClusterState
  readonly stores: ResolvedStores
  /** Reason for the new certificate; empty for the first one, absent if none was issued. */
  readonly issued?: string
  /** Stores that replace an outside certificate in the state once the host is verified. */
  readonly onceProved?: HostStores
}> {
  const { host, facts, state, authority, given, now } = options
  const names = certificateNamesOf(host, facts)
  const trusted = trustedAuthorities(state)
  const locks = {
    trusted,
    alias: host.tls.alias,
    keystorePassword: given.keystore ?? state.storePasswords?.keystore ?? generatePassword(),
    truststorePassword: given.truststore ?? state.storePasswords?.truststore ?? generatePassword(),
  }
  const kept = state.hosts.get(host.name)
  const reason = reasonToIssue(options, names.required)
  const stores =
    kept === undefined || reason !== undefined
      ? await createHostStores({
          ...locks,
          ...subjectAltNames(names.all),
          authority,
          keyType: host.tls.keyType,
          lifetimeDays: host.tls.keyLifetime,
          now,
        })
      : isUsable(kept, { ...locks, names: names.required, now })
        ? kept
        : {
            ...packHostStores({ ...locks, leaf: kept, authority }),
            ...(kept.outside === undefined ? {} : { outside: kept.outside }),
          }
  const leaving = kept?.outside !== undefined && stores.outside === undefined
  return {
    ...(leaving ? { onceProved: stores } : {}),
    state: stores === kept || leaving ? state : withHost(state, host.name, stores),
    stores: {
      files: new Map([
        ['keystore.p12', stores.keystore],
        ['truststore.p12', stores.truststore],
      ]),
      key: stores.key,
      chain: stores.chain,
      authorities: trusted,
      passwords: { keystore: locks.keystorePassword, truststore: locks.truststorePassword },
    },
    ...(reason === undefined ? {} : { issued: reason }),
  }
}

/** Returns the reason to issue a new leaf; empty for the first one, undefined if the present one stays. */
function reasonToIssue(
  options: Parameters<typeof generatedStores>[0],
  required: readonly string[],
): string | undefined {
  const { host, facts, state, authority, now, renew = false, ownAuthority = false } = options
  const { isLost = () => false } = options
  const kept = state.hosts.get(host.name)
  if (kept === undefined) return ''
  if (kept.outside !== undefined) {
    if (isLost(kept.outside)) return 'is of the lost authority'
    if (ownAuthority) return 'is of an outside authority'
    requireUnexpired(host.name, kept.chain, now)
    return undefined
  }
  const { warningDays, keyType } = host.tls
  const needs = { now, warningDays, keyType, authority: authority.certificate, ...subjectAltNames(required) }
  const reason = leafNeedsRenewal({ chain: kept.chain, ...needs })
  if (reason?.code === 'other-authority' && state.rotation?.phase === 'move') return 'is of the old authority'
  if (reason !== undefined) return reason.message
  // If the host does not have it yet, an interrupted run issued it: a new one would be no better.
  return renew && kept.chain === facts.installation.chain ? 'is to be renewed' : undefined
}

/** Throws a `CertificateError` if a certificate of an outside authority has expired; muster cannot renew it. */
function requireUnexpired(host: string, chain: string, now: Date): void {
  const facts = leafFacts(chain, now)
  if (facts === undefined || Date.parse(facts.notAfter) >= now.getTime()) return
  throw new CertificateError({
    code: 'outside-expired',
    message: `the certificate of ${host}, which ${facts.issuer} signed, expired on ${facts.notAfter.slice(0, 10)}`,
    fix: `Have another one signed: \`muster cert csr --host ${host}\`, then \`muster cert import\`. Or go back to the cluster's own authority: \`muster cert renew --own-authority --host ${host}\`.`,
  })
}

/** Returns true if kept stores open with today's passwords and alias, and trust the required authorities. */
function isUsable(
  kept: HostStores,
  options: {
    readonly alias: string
    readonly trusted: readonly string[]
    readonly keystorePassword: Secret
    readonly truststorePassword: Secret
    readonly names: readonly string[]
    readonly now: Date
  },
): boolean {
  const opened = openStores({ ...kept, ...options, warningDays: 0 })
  return opened.ok && fingerprints(opened.authorities) === fingerprints(options.trusted)
}

const fingerprints = (authorities: readonly string[]): string =>
  authorities
    .flatMap((pem) => certificatesOf(pem) ?? [])
    .map(({ fingerprint256 }) => fingerprint256)
    .sort()
    .join()
