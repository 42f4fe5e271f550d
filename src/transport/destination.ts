/** Keys for one login, in the order in which they are offered. Paths are absolute. */
export type LoginKeyOptions = {
  /** Offered before all others; by the agent if it holds them. */
  readonly first: readonly string[]
  /** Further files. The order is: those that the agent holds, the agent's other keys, the other files. */
  readonly files: readonly string[]
  /** `listed`: only the agent's keys that one of the files names. */
  readonly agent: 'all' | 'listed'
  /** Fail unless each file of `first` holds a usable key. */
  readonly required: boolean
  /** SSH_AUTH_SOCK, or the socket of another agent. */
  readonly socket?: string
}

/** Rules for the key that a server shows. */
export type HostKeyOptions = {
  /** known_hosts files; paths are absolute. */
  readonly files: readonly string[]
  /** Names to look up, the first one for messages. */
  readonly names: readonly string[]
  /** Pinned fingerprint, `SHA256:…`; if given, known_hosts is not used. */
  readonly pinned?: string
  /** HostKeyAlias: the only name to look up, whatever the port. */
  readonly alias?: string
  /** StrictHostKeyChecking of ssh_config, which is not followed here. */
  readonly lenient?: 'no' | 'accept-new'
  /** HashKnownHosts: names of new lines are hashed. */
  readonly hashed?: true
}

/** Host to look up in ssh_config(5), and what the YAML says of it. */
export type SshConfigRequest = {
  /** Name for messages. */
  readonly label: string
  /** Host argument of the ssh command. */
  readonly host: string
  /** HostName, if the YAML gives it. */
  readonly address?: string
  readonly port?: number
  readonly user?: string
  /** File of ssh_config(5) to read instead of the usual ones. */
  readonly config?: string
}

/** Values that the program ssh needs to connect; all else it reads from ssh_config itself. */
type OpensshOptions = {
  /** The YAML asks for it. */
  readonly wanted: boolean
  /** Options of ssh_config that ask for it instead of the built-in client. */
  readonly reasons: readonly string[]
  readonly question: SshConfigRequest
  /** Options that undo those of ssh_config with which there is no shell to talk to. */
  readonly undone: readonly string[]
  /** Names of environment variables in ssh_config. */
  readonly variables: readonly string[]
  /** The known_hosts file of the YAML, and GlobalKnownHostsFile. */
  readonly knownHosts?: string
  readonly globalKnownHosts: readonly string[]
  /** ProxyCommand as it stands in ssh_config, with its tokens. */
  readonly proxyCommand?: string
}

/** One SSH server: the host itself or a jump host. Plain data: equal data means the same login. */
export type Destination = {
  /** Name for messages: a host's name in the YAML, or `the jump host bastion`. */
  readonly label: string
  readonly jump: boolean
  /** Name or IP address to connect to. */
  readonly address: string
  readonly port: number
  readonly user: string
  readonly keys: LoginKeyOptions
  readonly check: HostKeyOptions
  /** Milliseconds for all attempts together. */
  readonly timeout: number
  /** ProxyCommand: its standard input and output are the connection. */
  readonly proxyCommand?: string
  /** BindAddress and AddressFamily, for a connection from this machine. */
  readonly localAddress?: string
  readonly family?: 4 | 6
  /** Absent: only the built-in client may connect. */
  readonly openssh?: OpensshOptions
}

/** Jump hosts in their order, and the host behind them. */
export type Route = { readonly jumps: readonly Destination[]; readonly target: Destination }
