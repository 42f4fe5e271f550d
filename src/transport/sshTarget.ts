/** How to reach a host over SSH; what config/model calls SshConfig. Paths are absolute. */
export type SshTarget = {
  /** Absent: the invoking user's own name. */
  readonly user?: string
  readonly port: number
  /** Private key file; absent: the agent, then the usual keys of ~/.ssh. */
  readonly identity?: string
  /** Absent: ~/.ssh/known_hosts and /etc/ssh/ssh_known_hosts. */
  readonly knownHosts?: string
  /** Pinned fingerprint, `SHA256:…`; when given, it alone decides. */
  readonly hostKey?: string
  /** Run everything through sudo. */
  readonly become: boolean
  /** Milliseconds until the host counts as not reached, all attempts together. */
  readonly timeout: number
}

/** What of the operator's environment a connection needs. */
export type SshEnvironment = {
  /** SSH_AUTH_SOCK. */
  readonly agentSocket?: string
  /** Home folder, absolute. */
  readonly home: string
  /** The invoking user's name. */
  readonly user: string
}

/** Reads a whole file; rejects as node:fs does (`ENOENT` for one that is not there). */
export type ReadFile = (path: string) => Promise<Buffer>
