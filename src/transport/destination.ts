/** Which keys may log in somewhere, in which order. Paths are absolute. */
export type KeyWish = {
  /** Tried before everything else, by the agent where it holds them. */
  readonly first: readonly string[]
  /** Further files: those that the agent holds, then the agent's other keys, then the rest of the files. */
  readonly files: readonly string[]
  /** `listed`: of the agent's keys only those that one of the files names. */
  readonly agent: 'all' | 'listed'
  /** Whether each file of `first` must be a key that can be used. */
  readonly required: boolean
  /** SSH_AUTH_SOCK, or another agent's socket. */
  readonly socket?: string
}

/** Where the key that a server shows must be known. */
export type KeyCheck = {
  /** known_hosts files, absolute. */
  readonly files: readonly string[]
  /** Names to look under, the first for messages. */
  readonly names: readonly string[]
  /** Pinned fingerprint, `SHA256:…`; when given, it alone decides. */
  readonly pinned?: string
  /** HostKeyAlias: the one name to look under, whatever the port. */
  readonly alias?: string
  /** What ssh_config would allow and is not followed here. */
  readonly lenient?: 'no' | 'accept-new'
  /** HashKnownHosts: names of new lines are hashed. */
  readonly hashed?: true
}

/** One SSH server: the host itself, or a jump host on the way to it. Plain data: the same data is the same login. */
export type Destination = {
  /** As messages call it: a host's name in the YAML, or `the jump host bastion`. */
  readonly label: string
  readonly jump: boolean
  /** What is dialled: a name or an IP address. */
  readonly address: string
  readonly port: number
  readonly user: string
  readonly keys: KeyWish
  readonly check: KeyCheck
  /** Milliseconds until it counts as not reached, all attempts together. */
  readonly timeout: number
  /** ProxyCommand: its standard input and output are the connection. */
  readonly proxyCommand?: string
  /** BindAddress and AddressFamily, for a connection from here. */
  readonly localAddress?: string
  readonly family?: 4 | 6
}

/** The way to a host: the jump hosts in their order, and the host. */
export type Route = { readonly jumps: readonly Destination[]; readonly target: Destination }
