import type { Duplex } from 'node:stream'
import type { HostText } from '../base/hostText.ts'
import type { Secret } from '../secrets/secret.ts'

/**
 * Result of a script. Output is decoded as UTF-8, and limited in bytes and lines; see `TransportError` code
 * `too-much-output`.
 */
export type RunResult = { readonly code: number; readonly stdout: HostText; readonly stderr: HostText }

export type RunOptions = {
  /** Standard input of the script; never in an argument or the environment. */
  readonly stdin?: string | Buffer | Secret
  /** Milliseconds until the run fails with code `timeout`; default 60,000. */
  readonly timeout?: number
}

/** Output of a script that runs until it is told to end. */
export type FollowOptions = {
  /** Takes standard output as it arrives, a last line feed with what follows it; must not throw. */
  readonly onOutput: (bytes: Buffer) => void
  /** Ends the script: its standard input gets one byte then. */
  readonly signal: AbortSignal
}

export type Upload = {
  /** Absolute path on the host; its folder exists. */
  readonly path: string
  readonly content: Buffer | Secret
  /** Permission bits, such as 0o600. */
  readonly mode: number
  /** `user:group`; absent: the user of the shell. */
  readonly owner?: string
}

/** Listening address of a server on the host: TCP, or a Unix socket. */
export type ListeningPlace = { readonly address: string; readonly port: number } | { readonly socket: string }

/**
 * The only way to a host: one connection for the whole run, and on it one long-lived POSIX sh. Concurrent
 * calls are sent together. Every method rejects with a `TransportError` and nothing else.
 */
export type Transport = {
  readonly host: string
  /** Runs a POSIX sh script: umask 077, LC_ALL=C, no arguments. A non-zero exit is a result, not an error. */
  run(script: string, options?: RunOptions): Promise<RunResult>
  /**
   * Runs a script without a time limit and hands over its output as it arrives. The script must end once its
   * standard input has a byte or ends, which it does with the connection; until then no other script runs. Absent if
   * only scripts with an end can run.
   */
  follow?(script: string, options: FollowOptions): Promise<Omit<RunResult, 'stdout'>>
  /**
   * Writes files, each as one atomic change: same folder, umask 077, checksum, owner and mode, fsync, rename
   * (deployment.md, "The SSH layer" 9). Renames none before all are on the disk; a failure leaves no
   * temporary files.
   */
  upload(...files: readonly Upload[]): Promise<void>
  /**
   * The same host for dependent work: runs and uploads are sent without waiting and done in their order;
   * after a failure (also a non-zero exit), the later ones are skipped and reject with code `not-run`. Absent
   * if runs cannot be pipelined.
   */
  chain?(): Transport
  /**
   * Connects from the host to one of its own servers, or resolves with the error: sshd may forbid it
   * (AllowTcpForwarding, AllowStreamLocalForwarding in sshd_config(5)). Never rejects. Absent if only scripts
   * can run.
   */
  dial?(place: ListeningPlace): Promise<Duplex | Error>
  close(): Promise<void>
}
