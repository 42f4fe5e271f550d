import type { HostConfig } from '../../config/model.ts'
import { ownStores, type StoresRead } from '../desired/ownStores.ts'
import { isGenerated } from '../desired/stores.ts'
import { type ClusterState, trustedAuthorities } from '../state/clusterState.ts'
import { StepError } from '../stepError.ts'
import type { SurveyedHost } from '../survey.ts'

/** Whether muster makes a host's certificate, the file names stores with one, or an outside authority's was imported. */
export type CertificateOrigin = 'muster' | 'yours' | 'outside'

/** What a host's certificate should be, as far as the operator's machine knows. */
export type ExpectedCertificate = {
  readonly origin: CertificateOrigin
  /** PEM, leaf first; absent where none was made yet or the stores cannot be opened. */
  readonly chain?: string
  /** PEM of those that clients trust; empty where they are not known. */
  readonly authorities: readonly string[]
  /** What is wrong with stores of the file. */
  readonly problem?: StepError
}

/** The certificate that the state directory keeps for a host, or that of the keystore which the file names. */
export function expectedCertificate(
  { host, facts }: Pick<SurveyedHost, 'host' | 'facts'>,
  around: { readonly state: ClusterState; readonly stores: StoresRead; readonly now: Date },
): ExpectedCertificate {
  const { state, stores, now } = around
  if (isGenerated(host)) {
    const chain = state.hosts.get(host.name)?.chain
    return { origin: originOf(host, state), ...(chain && { chain }), authorities: trustedAuthorities(state) }
  }
  try {
    const given = stores.passwords.get(host.name) ?? {}
    const { chain, authorities } = ownStores({ host, facts, given, files: stores.files, now }).stores
    return { origin: 'yours', chain, authorities }
  } catch (error) {
    if (!(error instanceof StepError)) throw error
    return { origin: 'yours', authorities: [], problem: error }
  }
}

/** Where a host's certificate comes from. */
export function originOf(host: HostConfig, state: ClusterState): CertificateOrigin {
  if (!isGenerated(host)) return 'yours'
  return state.hosts.get(host.name)?.outside === undefined ? 'muster' : 'outside'
}
