/** The firewall that is on, and its rules in the words of its own tool. */
export type FirewallSeen = { readonly kind: 'firewalld' | 'ufw' | 'nftables'; readonly rules: string }

/** What the checks need of a host beside the facts of a plan. */
export type Observations = {
  /** Milliseconds that the host's clock is ahead of ours; negative where it is behind. */
  readonly clockOffset: number
  /** As `getconf GNU_LIBC_VERSION` prints it, such as `glibc 2.36`, or `musl`; absent where it is not known. */
  readonly libc?: string
  /** Names that were looked up on the host, with what they mean there; without an address: not known there. */
  readonly resolved: ReadonlyMap<string, readonly string[]>
  /** Text of /etc/hosts, its first 64 KiB. */
  readonly hostsFile: string
  /** Paths below the install-directory that an interrupted run left half-written, more than an hour ago. */
  readonly leftovers: readonly string[]
  /** Absent where none is on, or where the login may not look. */
  readonly firewall?: FirewallSeen
}
