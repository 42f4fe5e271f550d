import type { Accounts } from '../accounts/accounts.ts'
import type { Component } from '../contracts/component.ts'
import type { Route } from '../contracts/route.ts'
import type { RequestCounts } from './metrics.ts'

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
  /** Everything that this component serves. */
  readonly routes: readonly Route[]
  readonly allowedHosts: readonly string[]
  /** Whether a peer other than loopback may create the first user. */
  readonly remoteBootstrap: boolean
  /** When the certificate expires; absent where no TCP listener shows one. */
  readonly certificateExpiry?: Date
  readonly counts: RequestCounts
  readonly isStopping: () => boolean
}
