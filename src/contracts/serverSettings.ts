import type { Component } from './component.ts'

/** pino's level names, most talkative first. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const

export type LogLevel = (typeof logLevels)[number]

/**
 * What `muster-api serve --settings FILE` reads: one JSON file per component and host, written by a
 * deployment. All paths are absolute paths on the host. It holds no secret.
 */
export type ServerSettings = {
  readonly version: 1
  readonly cluster: string
  readonly host: string
  readonly component: Component
  /** TCP listener of the API; null when `<component>-rest-api` is false: the Unix socket stays. */
  readonly listen: { readonly address: string; readonly port: number } | null
  /** Unix socket that only the service user and root can open. */
  readonly socket: string
  /** PEM files: the private key, and the leaf followed by its authority. */
  readonly tls: { readonly key: string; readonly chain: string }
  /** The host's one user file, shared by the three components. */
  readonly usersFile: string
  /** Names and addresses that a Host header may carry, without port. */
  readonly allowedHosts: readonly string[]
  /** Whether a peer other than loopback may create the first user (contract.md, "Unauthenticated bootstrap"). */
  readonly remoteBootstrap: boolean
  readonly logLevel: LogLevel
  /** Where a detached process leaves its pid; absent under systemd. */
  readonly pidFile?: string
  /** System user to become when started as root without systemd. */
  readonly user?: string
}
