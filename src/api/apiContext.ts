import type { Socket } from 'node:net'
import type { Accounts } from '../accounts/accounts.ts'
import type { Lockout } from '../accounts/lockout.ts'
import type { Component } from '../contracts/component.ts'
import type { Route } from '../contracts/route.ts'
import type { Audit } from './audit/audit.ts'
import type { MetricFamily, RequestCounts } from './metricFamilies.ts'
import type { CertificateState } from './tlsCertificate.ts'

/** State of the process that its calls use; shared by both listeners. */
export type ApiContext = {
  readonly component: Component
  /** Version of muster. */
  readonly version: string
  /** Version of Node.js, such as `v24.1.0`. */
  readonly node: string
  readonly hostName: string
  readonly pid: number
  /** Milliseconds since the process started. */
  readonly uptime: () => number
  readonly now: () => Date
  readonly newRequestId: () => string
  readonly accounts: Accounts
  /** The same that `accounts` uses. */
  readonly lockout: Lockout
  /** All routes of this component. */
  readonly routes: readonly Route[]
  readonly allowedHosts: readonly string[]
  /** Returns which host of the cluster a connection comes from, by its certificate; absent where none is asked for one. */
  readonly hostOf?: (connection: Socket) => string | undefined
  /** True if a remote address other than loopback may create the first user. */
  readonly remoteBootstrap: boolean
  /** The certificate as it is now; absent where no TCP listener shows one. */
  readonly certificate?: () => CertificateState
  /** Absent where the settings name no audit log. */
  readonly audit?: Audit
  readonly counts: RequestCounts
  /** Metrics of the component itself. */
  readonly componentMetrics?: () => readonly MetricFamily[]
  /** True once a stop is announced: calls are still answered, but readiness fails. */
  readonly isStopAnnounced: () => boolean
  /** True while the server stops and refuses new calls. */
  readonly isStopping: () => boolean
}
