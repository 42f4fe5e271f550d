import type { Outcome } from './execute.ts'

export type RunInput = {
  readonly stdin?: string | Buffer
  /** Milliseconds; three minutes unless told. */
  readonly timeout?: number
}

/** One Debian host of the lab. */
export type LabHost = {
  readonly name: string
  readonly address: string
  /** The host's files as its own processes see them, /run and /tmp included; valid until the next kill or boot. */
  root(): string
  /** Its ed25519 public host key as OpenSSH writes it. */
  hostKey(): string
  /**
   * Runs a script as root, without a login, which would cost a tenth of a second each time; it stands in an argument
   * list, so secrets go through `stdin`.
   */
  run(script: string, input?: RunInput): Promise<Outcome>
  waitUntilReady(): Promise<void>
  /** Pulls the power cord. */
  kill(): Promise<void>
  /** Boots it again after `kill`; settles when it is ready, with all its services of muster. */
  boot(): Promise<void>
  /** Pulls the network cable, or puts it in again: nobody is told that a connection ended. */
  unplug(): Promise<void>
  plugIn(): Promise<void>
}

/** A running lab. */
export type Lab = {
  /** The operator's own folder; keys and known_hosts lie in it. */
  readonly directory: string
  readonly keyPath: string
  readonly knownHostsPath: string
  readonly hosts: Readonly<Record<string, LabHost>>
  /** An address of the lab's network that no host has. */
  readonly unusedAddress: string
  stop(): Promise<void>
}

/** The host of this name; throws when the lab has none. */
export function hostOf(lab: Lab, name: string): LabHost {
  const host = lab.hosts[name]
  if (host === undefined) throw new Error(`the lab has no host ${name}`)
  return host
}
