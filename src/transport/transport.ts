import type { Duplex } from 'node:stream'
import type { HostText } from '../base/hostText.ts'
import type { Secret } from '../secrets/secret.ts'

/**
 * What a script left behind. Output is decoded as UTF-8, and bounded in bytes and lines; see `TransportError` code
 * `too-much-output`.
 */
export type RunResult = { readonly code: number; readonly stdout: HostText; readonly stderr: HostText }

export type RunOptions = {
  /** Given to the script on standard input; never in an argument or the environment. */
  readonly stdin?: string | Buffer | Secret
  /** Milliseconds until the run is given up with code `timeout`; 60,000 unless told. */
  readonly timeout?: number
}

export type Upload = {
  /** Absolute path on the host; its folder exists. */
  readonly path: string
  readonly content: Buffer | Secret
  /** Permission bits, such as 0o600. */
  readonly mode: number
  /** `user:group`; absent: whoever runs the shell. */
  readonly owner?: string
}

/** Where a server of the host listens: over TCP, or on a Unix socket. */
export type ListeningPlace = { readonly address: string; readonly port: number } | { readonly socket: string }

/**
 * The only door to a host: one connection for the whole run and on it one long-lived POSIX sh. What is asked of it at
 * the same time travels at the same time.
 * Every method rejects with a `TransportError` and nothing else.
 */
export type Transport = {
  readonly host: string
  /** Runs a POSIX sh script: umask 077, LC_ALL=C, no arguments. A non-zero exit is a result, not an error. */
  run(script: string, options?: RunOptions): Promise<RunResult>
  /**
   * Writes files, each as one atomic change: same folder, umask 077, checksum, owner and mode, fsync, rename
   * (deployment.md, "The SSH layer" 9). None is renamed before all are on the disk, and nothing else of them is left
   * when it fails.
   */
  upload(...files: readonly Upload[]): Promise<void>
  /**
   * The same host for work that hangs together: runs and uploads are sent without waiting for each other and done
   * in their order; after one that failed, those behind it are not done and reject with code `not-run`. A run that
   * ends with anything but 0 has failed. Absent where every run waits for the one before.
   */
  chain?(): Transport
  /**
   * A connection from the host to one of its own servers, or why there is none: a host may forbid them
   * (AllowTcpForwarding, AllowStreamLocalForwarding in sshd_config(5)). Never rejects. Absent where all goes by scripts.
   */
  dial?(place: ListeningPlace): Promise<Duplex | Error>
  close(): Promise<void>
}
