/** SSH settings of a host; `SshConfig` in config/model. Paths are absolute. */
export type SshTarget = {
  /** Absent: the built-in client. `auto`: the program ssh where the built-in one cannot log in. */
  readonly transport?: 'auto' | 'builtin' | 'openssh'
  /** Absent: from ssh_config, else the invoking user. */
  readonly user?: string
  /** Absent: from ssh_config, else 22. */
  readonly port?: number
  /** Private key file; absent: from ssh_config, else the agent, then the default keys of ~/.ssh. */
  readonly identity?: string
  /** Absent: from ssh_config, else ~/.ssh/known_hosts and /etc/ssh/ssh_known_hosts. */
  readonly knownHosts?: string
  /** Pinned fingerprint, `SHA256:…`; if given, known_hosts is not used. */
  readonly hostKey?: string
  /** Jump hosts in this order, each as `[user@]host[:port]`; absent: from ssh_config. */
  readonly jump?: readonly string[]
  /** File of ssh_config(5); absent: the files that ssh itself reads. */
  readonly config?: string
  /** Run everything through sudo. */
  readonly become: boolean
  /** Milliseconds for all connection attempts together; absent: see `defaultTimeout`. */
  readonly timeout?: number
}

/** Milliseconds. */
export const defaultTimeout = 10_000

/** The registered port of SSH (RFC 4253, section 4.2). */
export const defaultPort = 22

/** The part of the operator's environment that a connection needs. */
export type SshEnvironment = {
  /** SSH_AUTH_SOCK. */
  readonly agentSocket?: string
  /** Home folder, absolute. */
  readonly home: string
  /** The invoking user's name. */
  readonly user: string
  /** True if Kerberos has a ticket for the user. */
  readonly hasTicket?: boolean
  /** Variables that ssh_config may name. */
  readonly variables?: Readonly<Record<string, string | undefined>>
}

/** Reads a whole file; rejects as node:fs does (`ENOENT` for a missing one). */
export type ReadFile = (path: string) => Promise<Buffer>
