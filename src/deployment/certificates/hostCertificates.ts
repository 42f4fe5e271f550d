import { addressAndPort } from '../../base/address.ts'
import { type CertificateFacts, leafFacts } from '../../certificates/certificateFacts.ts'
import type { CallRequest, CallResult } from '../../client/call.ts'
import type { ApiConfig, HostConfig } from '../../config/model.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import type { Component } from '../../contracts/component.ts'
import { callOf } from '../../contracts/routeCall.ts'
import { TransportError } from '../../transport/transportError.ts'
import { callHost } from '../callHost.ts'
import { tryInstalledDatabases } from '../databaseAccounts.ts'
import { installedAccount } from '../desiredService.ts'
import { failureOf } from '../hostFailure.ts'
import { layoutOf } from '../layout.ts'
import type { SurveyedHost } from '../survey.ts'
import type { CertificateOrigin, ExpectedCertificate } from './decideCertificates.ts'

/** Chain found on a host (PEM, leaf first) and the facts of its leaf. */
export type FoundCertificate = { readonly chain: string; readonly facts: CertificateFacts }

/** Certificate that one API presents to clients. */
export type ServedCertificate = {
  readonly component: Component
  /** Configured listener of the API; null if it is switched off and serves nothing. */
  readonly listen: { readonly address: string; readonly port: number } | null
  readonly served?: FoundCertificate
  /** Reason why the served certificate is unknown. */
  readonly detail?: string
}

/** Certificate of the host's own database, as its components see it when they log in. */
export type DatabaseCertificate = {
  readonly listen: { readonly address: string; readonly port: number }
  readonly served?: FoundCertificate
  /** Reason why there is none. */
  readonly detail?: string
  /** Set where the database did not show the certificate that it has to. */
  readonly unproven?: true
}

/** Certificates that a host has now. */
export type HostCertificates = {
  readonly host: string
  readonly address: string
  readonly state: 'up' | 'unreachable' | 'failed' | 'not-installed'
  readonly detail?: string
  readonly origin: CertificateOrigin
  /** Certificate that the servers read at start. */
  readonly onDisk?: FoundCertificate
  /** Certificate that the next installation writes: from the state directory, or from the keystore in the file. */
  readonly expected?: FoundCertificate
  readonly components: readonly ServedCertificate[]
  /** Absent where databases need not prove themselves, or the host has none. */
  readonly database?: DatabaseCertificate
}

/** Milliseconds for a handshake and a ping. */
const timeout = 4_000

/**
 * Reads the certificate on a host's disk, and the one that each API presents in a TLS handshake made on the host
 * itself, so loopback listeners are included: one round trip. Where the host's database has to prove itself, another one
 * logs in there. Rejects with a `TransportError` if the host becomes unreachable.
 */
export async function hostCertificates(options: {
  readonly surveyed: SurveyedHost
  readonly expected: ExpectedCertificate
  readonly now: Date
}): Promise<HostCertificates> {
  const { surveyed, expected, now } = options
  const { host, facts, transport } = surveyed
  const { chain, currentRelease } = facts.installation
  const known = { host: host.name, address: host.address, origin: expected.origin }
  if (currentRelease === undefined) return { ...known, state: 'not-installed', components: [] }
  const onDisk = found(chain, now)
  const next = found(expected.chain, now)
  const authorities = expected.authorities.length > 0 ? expected.authorities : chain ? [chain] : []
  const calls = await ask({ host, facts, transport, authorities })
  const database = await databaseCertificate(surveyed, now)
  return {
    ...known,
    state: 'up',
    ...(onDisk && { onDisk }),
    ...(next && next.facts.fingerprint !== onDisk?.facts.fingerprint && { expected: next }),
    ...('message' in calls && { detail: calls.message }),
    components: host.apis.map((api) => served({ api, results: 'message' in calls ? [] : calls, now })),
    ...(database && { database }),
  }
}

/** Logs in to the host's own database as its components do. Undefined where it need not prove itself. */
async function databaseCertificate(
  { host, facts, transport }: SurveyedHost,
  now: Date,
): Promise<DatabaseCertificate | undefined> {
  const { database, databaseAuthority } = host
  if (database === undefined || databaseAuthority === undefined) return undefined
  const listen = { address: database.host, port: database.port }
  const places = [database.host, host.address].map((address) => addressAndPort(address, database.port))
  const logins = (await tryInstalledDatabases(transport, { host, facts })) ?? []
  const own = logins.filter(({ place }) => places.includes(place))
  const { certificate, error, unproven } =
    own.find((one) => one.certificate !== undefined) ?? own.find((one) => one.error !== undefined) ?? {}
  const served = found(certificate, now)
  if (served !== undefined) return { listen, served }
  if (error !== undefined) return { listen, detail: error, ...(unproven && { unproven }) }
  return {
    listen,
    detail:
      own.length > 0
        ? 'nothing that is installed has it prove itself yet; run muster install'
        : 'nothing that is installed logs in there',
  }
}

export const unreachableCertificates = (
  host: HostConfig,
  why: {
    readonly state: 'unreachable' | 'failed'
    readonly detail: string
    readonly origin: CertificateOrigin
  },
): HostCertificates => ({ host: host.name, address: host.address, ...why, components: [] })

function found(chain: string | undefined, now: Date): FoundCertificate | undefined {
  const facts = chain === undefined ? undefined : leafFacts(chain, now)
  return chain === undefined || facts === undefined ? undefined : { chain, facts }
}

async function ask(options: {
  readonly host: HostConfig
  readonly facts: SurveyedHost['facts']
  readonly transport: SurveyedHost['transport']
  readonly authorities: readonly string[]
}): Promise<readonly CallResult[] | { readonly message: string }> {
  const { host, facts, transport, authorities } = options
  if (authorities.length === 0) return { message: 'the host has no certificate' }
  const requests = host.apis.flatMap((api): CallRequest[] =>
    api.enabled
      ? [
          {
            ...callOf(commonRoutes.ping),
            id: api.component,
            timeout,
            target: { address: api.address, port: api.port, authorities },
            show: 'certificates',
          },
        ]
      : [],
  )
  const layout = layoutOf(host.installDirectory)
  try {
    return await callHost({
      transport,
      layout,
      account: installedAccount(facts),
      requests,
      timeout: timeout * 2,
      running: true,
    })
  } catch (error) {
    if (error instanceof TransportError) throw error
    return failureOf(error)
  }
}

function served(options: {
  readonly api: ApiConfig
  readonly results: readonly CallResult[]
  readonly now: Date
}): ServedCertificate {
  const { api, results, now } = options
  const { component, address, port } = api
  if (!api.enabled) return { component, listen: null }
  const known = { component, listen: { address, port } }
  const result = results.find(({ id }) => id === component)
  if (result === undefined) return { ...known, detail: 'it was not called' }
  if (result.certificates === undefined) {
    return { ...known, detail: 'the release on the host is too old to report it; run muster install' }
  }
  const certificate = found(result.certificates.join(''), now)
  if (certificate !== undefined) return { ...known, served: certificate }
  return { ...known, detail: 'error' in result ? result.error.message : 'the TLS handshake failed' }
}
