import type { Component } from './component.ts'
import type { ShownConnector } from './connectorPayloads.ts'
import type { Failover, Policy, ShownDataSource, TaskPayload } from './managerPayloads.ts'
import type { ReasonCode, Writer } from './routing.ts'

/** Levels of a verdict, the worst first. */
export const verdictLevels = ['down', 'degraded', 'unknown', 'ok'] as const

export type VerdictLevel = (typeof verdictLevels)[number]

/** Level of one thing of a picture, for its colour and its place in a list. */
type Level = 'ok' | 'warn' | 'fail'

/** One thing that is not as it should be, in words for people: `replica db3 is 40 s behind`. */
export type PictureProblem = {
  readonly level: Exclude<VerdictLevel, 'ok'>
  readonly text: string
  /** Page of `muster explain`; null where there is none. */
  readonly code: ReasonCode | null
  readonly host: string | null
  readonly service: string | null
  readonly datasource: string | null
}

/** Verdict of a cluster: the level of its worst problem, and all of them, the worst first. */
export type Verdict = { readonly level: VerdictLevel; readonly problems: readonly PictureProblem[] }

/** Members that a data source has without a word of a manager. */
type Mapped = 'service' | 'name' | 'host' | 'port' | 'role' | 'state'

/**
 * A data source as most managers see it, by the names of its payload; null where no manager tells. Its connections are
 * those through all connectors that tell.
 */
export type PictureDataSource = Pick<ShownDataSource, Mapped> & {
  readonly [Member in Exclude<keyof ShownDataSource, Mapped>]: ShownDataSource[Member] | null
} & { readonly managersAgree: boolean }

/** Warns of a data source that takes no clients or contradicts the others. */
export function dataSourceLevel({
  state,
  code,
}: Pick<ShownDataSource, 'state'> & { readonly code: string | null }): Level {
  if (state === 'FAILED') return 'fail'
  return state === 'ONLINE' && code === null ? 'ok' : 'warn'
}

/** Returns the word for how a lost primary is replaced. */
export const failoverWord = ({ automatic }: Pick<Failover, 'automatic'>): string =>
  automatic ? 'automatic' : 'by hand'

export type PictureService = {
  readonly name: string
  readonly policy: Policy | null
  /** Null where no manager tells. */
  readonly failover: Failover | null
  /** Null where no manager reported the service. */
  readonly writer: Writer | null
  readonly managersAgree: boolean
  /** A switch that is under way or the last one that ended; null for none. */
  readonly task: TaskPayload | null
}

export type PictureComponent = {
  readonly component: Component
  /** `silent`: its API does not respond; `unknown`: nobody asked it. */
  readonly state: 'ready' | 'not-ready' | 'silent' | 'stopped' | 'unknown'
  readonly reason: string | null
  /** Listener of its API, such as `10.0.0.11:8090`; null for the Unix socket alone. */
  readonly listen: string | null
}

export const componentLevels: Readonly<Record<PictureComponent['state'], Level>> = {
  ...{ ready: 'ok', unknown: 'ok', 'not-ready': 'warn', silent: 'fail', stopped: 'fail' },
}

/** Service that a connector opens to clients of the database, and where they reach it, such as `10.0.0.11:3306`. */
export type ClientAddresses = {
  readonly service: string
  readonly readWrite: string
  readonly readOnly: string | null
}

/** The connector of a host, as it treats clients; `clients` is null where they are not known. */
export type PictureConnector = ShownConnector & { readonly clients: ClientAddresses | null }

export type PictureHost = {
  readonly name: string
  readonly address: string
  readonly state: 'up' | 'unreachable' | 'failed' | 'not-installed' | 'unknown'
  /** Why it is not up; null if it is. */
  readonly detail: string | null
  readonly release: string | null
  /** End of the certificate that its APIs present (RFC 3339); null where it is not known. */
  readonly certificateExpires: string | null
  /** Days before that end from which it is a problem (`tls-warning-days`). */
  readonly certificateWarningDays: number
  readonly components: readonly PictureComponent[]
  readonly connector: PictureConnector | null
}

export const hostLevels: Readonly<Record<PictureHost['state'], Level>> = {
  ...{ up: 'ok', unknown: 'warn', 'not-installed': 'warn', unreachable: 'fail', failed: 'fail' },
}

/** A cluster as one: what `muster status`, `muster graph` and the dashboard show. */
export type ClusterPicture = {
  readonly name: string
  readonly verdict: Verdict
  readonly services: readonly PictureService[]
  readonly datasources: readonly PictureDataSource[]
  readonly hosts: readonly PictureHost[]
}
