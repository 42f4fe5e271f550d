import type { Component } from '../../contracts/component.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { DataPlace } from '../layout.ts'

/** A file as it is on a host; `sha256` in hexadecimal, `owner` as `user:group`. */
export type FileFact = { readonly sha256: string; readonly mode: number; readonly owner: string }

/** A folder as it is on a host; `owner` as `user:group`. */
export type DirectoryFact = { readonly mode: number; readonly owner: string }

/** The Node.js that a host has of its own. */
export type NodeFact = {
  readonly path: string
  /** As `node --version` prints it, such as `v24.1.0`. */
  readonly version: string
  /** Whether it and all its parent folders belong to root and only root may write to them. */
  readonly rootOwned: boolean
}

export type ServiceState = 'running' | 'stopped' | 'failed' | 'absent'

/** A component as a service of the host. */
export type ServiceFact = { readonly state: ServiceState; readonly enabled: boolean; readonly pid?: number }

/** A TCP listener; the address in canonical form, an IPv4-mapped one as IPv4. */
export type Listener = { readonly address: string; readonly port: number }

/** A release that is complete on a host. */
export type ReleaseFact = {
  readonly id: string
  /** Grows each time a release becomes the current one; 0 where that is not known to have happened. */
  readonly turn: number
  /** When it last became the current one, by the host's clock (RFC 3339). */
  readonly since?: string
  /** What its Node.js leads to: a runtime of ours, as `../../runtimes/NAME/node`, or the host's own. */
  readonly node: string
  /** Whether that Node.js is there. */
  readonly nodeThere: boolean
}

/** What is installed below the install-directory, as texts. Each ends with a line feed. */
export type InstalledFiles = {
  /** Whether the install-directory is there. */
  readonly exists: boolean
  /** Text of `share/installation.json`. */
  readonly manifest?: string
  /** Name of the release that `current` points to. */
  readonly currentRelease?: string
  /** The certificate chain the servers use, PEM. */
  readonly chain?: string
  /** Where the components keep their data, and the system user that they run as; absent where nothing was started. */
  readonly account?: { readonly place: DataPlace; readonly user: string }
  /** Text of the user file. */
  readonly users?: Secret
  /** Text of each component's settings file. */
  readonly settings: ReadonlyMap<Component, string>
  /** Text of each component's systemd unit. */
  readonly units: ReadonlyMap<Component, string>
  /** Digest that the running component was started with; else the words of `releases/unfinished.ts`. */
  readonly applied: ReadonlyMap<Component, string>
}

/** What is installed on a host and runs there. */
export type InstalledFacts = {
  readonly host: string
  readonly hostname: string
  readonly machineId: string
  readonly uid: number
  /** First folder on the way to the install-directory that others than root could replace, with owner and mode. */
  readonly untrusted?: string
  readonly installation: InstalledFiles
  readonly services: ReadonlyMap<Component, ServiceFact>
}

/** What lies below the install-directory. Paths in `files` are absolute. */
export type InstallationFacts = InstalledFiles & {
  /** The folder that the host's installation had last, where that is another one and still holds one. */
  readonly before?: { readonly folder: string; readonly manifest: string }
  /** Whether a run that did not end left its copy of what was there before. */
  readonly leftCopy: boolean
  /** Whether this login may write there, or may create it. */
  readonly writable: boolean
  /** Free bytes of the file system it lies, or would lie, on. */
  readonly freeBytes: number
  /** Whether that file system is mounted so that no program of it can be run (mount(8)). */
  readonly noexec: boolean
  /** Name of the system user that we created. */
  readonly madeUser?: string
  /** Releases and runtimes that are complete. */
  readonly releases: readonly ReleaseFact[]
  readonly runtimes: readonly string[]
  readonly directories: ReadonlyMap<string, DirectoryFact>
  readonly files: ReadonlyMap<string, FileFact>
}

/** Everything a plan needs to know of a host, read in one round trip before anything is decided. */
export type HostFacts = InstalledFacts & {
  /** `uname -s` and `uname -m`. */
  readonly kernel: string
  readonly machine: string
  /** PRETTY_NAME of os-release(5). */
  readonly os: string
  readonly login: string
  readonly group: string
  /** Whether systemd is process 1 (sd_booted(3)). */
  readonly systemd: boolean
  readonly addresses: readonly string[]
  readonly node?: NodeFact
  /** Primary group of the system user that the components run as, or are to; absent when there is no such user. */
  readonly userGroup?: string
  readonly installation: InstallationFacts
  readonly listeners: readonly Listener[]
  /** Stores that the configuration says are already on the host (`host:/path`); absent: not readable. */
  readonly hostStores: ReadonlyMap<string, Buffer>
}
