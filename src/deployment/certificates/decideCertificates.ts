import { shortListOf } from '../../base/words.ts'
import { CertificateError } from '../../certificates/certificateError.ts'
import type { HostStores } from '../../certificates/hostStores.ts'
import { certificatesOf } from '../../certificates/pem.ts'
import type { HostConfig } from '../../config/model.ts'
import {
  ensureAuthority,
  generatedStores,
  isGenerated,
  missingAuthorityKey,
} from '../desired/generatedStores.ts'
import { tlsFiles } from '../desired/target.ts'
import {
  type LoadedStores,
  type TlsNote,
  tlsNotes,
  userProvidedStores,
} from '../desired/userProvidedStores.ts'
import { decideService, installedData } from '../desiredService.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { layoutOf } from '../layout.ts'
import { databasePasswords, type ResolvedSecrets, storePasswords } from '../prepare.ts'
import type { SnapshotTarget } from '../snapshot/installationSnapshot.ts'
import { type ClusterState, trustedAuthorities } from '../state/clusterState.ts'
import { StepError } from '../stepError.ts'
import type { SurveyedHost } from '../survey.ts'
import type { Target } from '../target.ts'

/** `muster`: made by muster; `yours`: the file names the stores; `outside`: imported from an outside authority. */
export type CertificateOrigin = 'muster' | 'yours' | 'outside'

/** Certificate that a host should have, as far as the operator's machine knows. */
export type ExpectedCertificate = {
  readonly origin: CertificateOrigin
  /** PEM, leaf first; absent if none was made yet or the stores cannot be opened. */
  readonly chain?: string
  /** PEM of the authorities that clients trust; empty if unknown. */
  readonly authorities: readonly string[]
  /** Problem of the stores that the file names. */
  readonly problem?: StepError
}

/** Returns the certificate that the state directory keeps for a host, or that of the keystore which the file names. */
export function expectedCertificate(
  { host, facts }: Pick<SurveyedHost, 'host' | 'facts'>,
  around: { readonly state: ClusterState; readonly stores: LoadedStores; readonly now: Date },
): ExpectedCertificate {
  const { state, stores, now } = around
  if (isGenerated(host)) {
    const chain = state.hosts.get(host.name)?.chain
    return { origin: originOf(host, state), ...(chain && { chain }), authorities: trustedAuthorities(state) }
  }
  try {
    const given = stores.passwords.get(host.name) ?? {}
    const { chain, authorities } = userProvidedStores({ host, facts, given, files: stores.files, now }).stores
    return { origin: 'yours', chain, authorities }
  } catch (error) {
    if (!(error instanceof StepError)) throw error
    return { origin: 'yours', authorities: [], problem: error }
  }
}

export function originOf(host: HostConfig, state: ClusterState): CertificateOrigin {
  if (!isGenerated(host)) return 'yours'
  return state.hosts.get(host.name)?.outside === undefined ? 'muster' : 'outside'
}

/** Desired certificates of one installed host; no other part of it is compared. */
export type CertificateTarget = SnapshotTarget &
  Pick<Target, 'tls' | 'authorities' | 'leaf'> & { readonly host: HostConfig }

type CertificateDecision =
  | {
      readonly ok: true
      readonly targets: readonly CertificateTarget[]
      readonly state: ClusterState
      /** By host, the stores that replace an outside certificate in the state once the host is verified. */
      readonly onceProved: ReadonlyMap<string, HostStores>
      readonly notes: readonly string[]
    }
  | { readonly ok: false; readonly problems: readonly StepError[] }

/**
 * Decides the certificates of hosts whose stores muster makes, by the rules of an installation. `renew` issues every
 * leaf again; certificates of outside authorities are replaced only with `ownAuthority` or `isLost`. Other changes of the file
 * wait for the next installation.
 */
export async function decideCertificates(options: {
  readonly cluster: string
  readonly surveyed: readonly { readonly host: HostConfig; readonly facts: HostFacts }[]
  readonly state: ClusterState
  readonly secrets: ResolvedSecrets
  readonly renew: boolean
  readonly ownAuthority?: boolean
  /** Returns true for an authority (PEM) whose key is lost. */
  readonly isLost?: (authority: string) => boolean
  readonly now: Date
}): Promise<CertificateDecision> {
  const { cluster, surveyed, secrets, renew, ownAuthority = false, isLost, now } = options
  const refused = surveyed.flatMap(
    ({ host, facts }) =>
      notInstalled(host, facts) ??
      missingAuthorityKey({ cluster, host, facts, state: options.state, now }) ??
      [],
  )
  if (refused.length > 0) return { ok: false, problems: refused }
  const { authority, ...ensured } = await ensureAuthority({ cluster, state: options.state, now })
  let state = ensured.state
  const problems: StepError[] = []
  const targets: CertificateTarget[] = []
  const storeNotes: TlsNote[] = []
  const onceProved = new Map<string, HostStores>()
  for (const { host, facts } of surveyed) {
    try {
      const given = storePasswords(secrets, host)
      const made = await generatedStores({
        ...{ host, facts, state, authority, given, now, renew, ownAuthority },
        ...(isLost && { isLost }),
      })
      state = made.state
      if (made.onceProved !== undefined) onceProved.set(host.name, made.onceProved)
      if (made.issued !== undefined) storeNotes.push({ host: host.name, issued: made.issued })
      targets.push(targetOf({ cluster, host, facts, stores: made.stores, secrets }))
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error
      const { code, message, fix } = error
      problems.push(new StepError({ host: host.name, code, message, fix, cause: error }))
    }
  }
  if (problems.length > 0) return { ok: false, problems }
  const notes = renew ? outsideNotes(surveyed, state) : []
  return { ok: true, targets, state, onceProved, notes: [...notes, ...tlsNotes(storeNotes)] }
}

/** Names the hosts that a renewal does not change. */
function outsideNotes(
  surveyed: readonly { readonly host: HostConfig }[],
  { hosts }: ClusterState,
): readonly string[] {
  const outside = surveyed
    .map(({ host: { name } }) => name)
    .filter((name) => hosts.get(name)?.outside !== undefined)
  if (outside.length === 0) return []
  const has = outside.length === 1 ? 'has a certificate' : 'have certificates'
  return [
    `${shortListOf(outside, 8)} ${has} of an external authority, which muster cannot renew: request a new one with muster cert csr, or replace it with --own-authority`,
  ]
}

function targetOf(options: {
  readonly cluster: string
  readonly host: HostConfig
  readonly facts: HostFacts
  readonly stores: Awaited<ReturnType<typeof generatedStores>>['stores']
  readonly secrets: ResolvedSecrets
}): CertificateTarget {
  const { cluster, host, facts, stores, secrets } = options
  const layout = layoutOf(host.installDirectory)
  const passwords = databasePasswords(secrets, host)
  const leaf = certificatesOf(stores.chain)?.[0]
  const service = decideService(host, facts, cluster)
  return {
    cluster,
    host,
    facts,
    layout,
    data: installedData(facts, { layout, cluster }),
    service,
    release: { id: facts.installation.currentRelease ?? '' },
    users: [],
    tls: tlsFiles({ host, layout, service, stores, passwords }),
    authorities: stores.authorities,
    ...(leaf === undefined ? {} : { leaf: leaf.fingerprint256 }),
  }
}

/** Returns an error unless an installation of the host was completed. */
function notInstalled(host: HostConfig, { installation }: HostFacts): StepError | undefined {
  const { currentRelease, applied, chain } = installation
  if (currentRelease !== undefined && applied.size > 0 && chain !== undefined) return undefined
  return new StepError({
    host: host.name,
    code: 'not-installed',
    message: `no complete installation in ${host.installDirectory}`,
    fix: `Install it with \`muster install --host ${host.name}\`, or exclude it with --host.`,
  })
}
