/**
 * Option with a default that a server reads as it is: its row in the configuration and its member in the settings. A
 * duration is in milliseconds.
 */
export type ServerOption = { readonly name: string } & (
  | { readonly kind: 'duration' | 'count'; readonly default: number }
  | { readonly kind: 'boolean'; readonly default: boolean }
  | { readonly kind: 'networks'; readonly default: readonly string[] }
)

/** Options by their member. */
export type ServerOptions = Readonly<Record<string, ServerOption>>

/** Limits of the connector for its clients. */
export const connectorLimits = {
  /** Number of clients of each port that are held at once, at most. */
  maxHeld: { name: 'connector-max-held', kind: 'count', default: 1000 },
  /** Time that a client is held at most. */
  maxHold: { name: 'connector-max-hold', kind: 'duration', default: 8000 },
  /** Time that connections get to end by themselves when the connector, or their data source, goes offline. */
  drainTimeout: { name: 'connector-drain-timeout', kind: 'duration', default: 30_000 },
  /** Time that the last word of the managers counts while none answers. */
  managerTimeout: { name: 'connector-manager-timeout', kind: 'duration', default: 30_000 },
  /** Time that a server which has accepted a connection gets to greet. */
  greetingTimeout: { name: 'connector-greeting-timeout', kind: 'duration', default: 3000 },
  /** True if servers that take it from this host are told the addresses of clients (PROXY protocol). */
  proxyProtocol: { name: 'application-proxy-protocol', kind: 'boolean', default: false },
  /** Networks of load balancers, whose connections have to begin with a header of the PROXY protocol. */
  balancerNetworks: { name: 'application-proxy-networks', kind: 'networks', default: [] },
  /** True if clients of the read-only port go to the primary while no replica can be read. */
  readonlyFallback: { name: 'application-readonly-fallback', kind: 'boolean', default: true },
} as const satisfies ServerOptions

/** Limits of a switch of the primary. */
export const switchLimits = {
  maxLag: { name: 'switch-max-lag', kind: 'duration', default: 3000 },
  maxTransaction: { name: 'switch-max-transaction', kind: 'duration', default: 5000 },
  drainTimeout: { name: 'switch-drain-timeout', kind: 'duration', default: 5000 },
} as const satisfies ServerOptions
