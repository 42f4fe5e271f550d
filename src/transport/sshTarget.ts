/** How to reach a host over SSH; what config/model calls SshConfig. Paths are absolute. */
export type SshTarget = {
  /** Absent: what ssh_config says, else the invoking user's own name. */
  readonly user?: string
  /** Absent: what ssh_config says, else 22. */
  readonly port?: number
  /** Private key file; absent: what ssh_config says, else the agent, then the usual keys of ~/.ssh. */
  readonly identity?: string
  /** Absent: what ssh_config says, else ~/.ssh/known_hosts and /etc/ssh/ssh_known_hosts. */
  readonly knownHosts?: string
  /** Pinned fingerprint, `SHA256:…`; when given, it alone decides. */
  readonly hostKey?: string
  /** Hosts to go through, in this order, each as `[user@]host[:port]`; absent: what ssh_config says. */
  readonly jump?: readonly string[]
  /** File of ssh_config(5); absent: those that ssh itself reads. */
  readonly config?: string
  /** Run everything through sudo. */
  readonly become: boolean
  /** Milliseconds until the host counts as not reached, all attempts together; absent: see `defaultTimeout`. */
  readonly timeout?: number
}

/** Milliseconds. */
export const defaultTimeout = 10_000

/** The port of SSH where nobody says another (RFC 4253, section 4.2). */
export const defaultPort = 22

/** What of the operator's environment a connection needs. */
export type SshEnvironment = {
  /** SSH_AUTH_SOCK. */
  readonly agentSocket?: string
  /** Home folder, absolute. */
  readonly home: string
  /** The invoking user's name. */
  readonly user: string
  /** Variables that ssh_config may name. */
  readonly variables?: Readonly<Record<string, string | undefined>>
}

/** Reads a whole file; rejects as node:fs does (`ENOENT` for one that is not there). */
export type ReadFile = (path: string) => Promise<Buffer>
