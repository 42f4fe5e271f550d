import type { Accounts } from '../accounts/accounts.ts'
import type { Lockout } from '../accounts/lockout.ts'
import type { Component } from '../contracts/component.ts'
import type { Route } from '../contracts/route.ts'
import type { Audit } from './audit/audit.ts'
import type { MetricFamily, RequestCounts } from './metricFamilies.ts'
import type { CertificateState } from './tlsCertificate.ts'

/** What the calls of one process know of it; one for both of its doors. */
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
  /** The one that `accounts` asks. */
  readonly lockout: Lockout
  /** Everything that this component serves. */
  readonly routes: readonly Route[]
  readonly allowedHosts: readonly string[]
  /** Whether a peer other than loopback may create the first user. */
  readonly remoteBootstrap: boolean
  /** The certificate as it is now; absent where no TCP listener shows one. */
  readonly certificate?: () => CertificateState
  /** Absent where the settings name no audit log. */
  readonly audit?: Audit
  readonly counts: RequestCounts
  /** What the component measures of itself. */
  readonly componentMetrics?: () => readonly MetricFamily[]
  /** Whether it is to stop soon: calls are answered still, but nobody should send any here. */
  readonly isLeaving: () => boolean
  /** Whether new calls are refused, for it stops now. */
  readonly isStopping: () => boolean
}
