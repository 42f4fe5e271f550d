import type { ServiceManagerName } from '../../config/settings/serviceManagerNames.ts'
import type { Component } from '../../contracts/component.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { ConfiguredReadOnly } from '../configuredReadOnly.ts'

/** File on a host; `sha256` in hexadecimal, `owner` as `user:group`. */
export type FileFact = { readonly sha256: string; readonly mode: number; readonly owner: string }

/** Folder on a host; `owner` as `user:group`. */
export type DirectoryFact = { readonly mode: number; readonly owner: string }

/** Node.js of the host itself. */
export type NodeFact = {
  readonly path: string
  /** As `node --version` prints it, such as `v24.1.0`. */
  readonly version: string
  /** True if it and all its parent folders belong to root and only root may write to them. */
  readonly rootOwned: boolean
}

export type ServiceState = 'running' | 'stopped' | 'failed' | 'absent'

/** Component as a service of the host. */
export type ServiceFact = { readonly state: ServiceState; readonly enabled: boolean; readonly pid?: number }

/** A TCP listener; the address in canonical form, an IPv4-mapped one as IPv4. */
export type Listener = { readonly address: string; readonly port: number }

/** Complete release on a host. */
export type ReleaseFact = {
  readonly id: string
  /** Increases each time a release becomes current; 0 if unknown. */
  readonly turn: number
  /** Time when it last became current, by the host's clock (RFC 3339). */
  readonly since?: string
  /** Target of its Node.js link: a runtime of muster, as `../../runtimes/NAME/node`, or the host's own. */
  readonly node: string
  /** True if that Node.js exists. */
  readonly nodeThere: boolean
}

/** Contents below the install-directory. Each text ends with a line feed. */
type InstalledFiles = {
  /** True if the install-directory exists. */
  readonly exists: boolean
  /** Text of `share/installation.json`. */
  readonly manifest?: string
  /** Name of the release that `current` points to. */
  readonly currentRelease?: string
  /** Certificate chain that the servers use, PEM. */
  readonly chain?: string
  /** Place of the components' data, and their system user; absent if nothing was started. */
  readonly account?: { readonly place: ServiceManagerName; readonly user: string }
  /** Text of the user file. */
  readonly users?: Secret
  /** Content of each component's settings file; undefined if it is not JSON. */
  readonly settings: ReadonlyMap<Component, unknown>
  /** Text of each component's definition, and the service manager that it is for; absent: systemd. */
  readonly units: ReadonlyMap<Component, string>
  readonly definedBy?: ServiceManagerName
  /** Digest that the running component was started with; otherwise a marker of `releases/releaseScripts.ts`. */
  readonly applied: ReadonlyMap<Component, string>
}

/** Facts about what is installed on a host and runs there. */
export type InstalledFacts = {
  readonly host: string
  readonly hostname: string
  readonly machineId: string
  readonly uid: number
  /**
   * First folder on the path to the install-directory that a user other than root could replace, with owner and mode.
   */
  readonly untrusted?: string
  readonly installation: InstalledFiles
  readonly services: ReadonlyMap<Component, ServiceFact>
}

/** Facts below the install-directory. Paths in `files` are absolute. */
export type InstallationFacts = InstalledFiles & {
  /** Previous install-directory of the host, if it differs and still holds an installation. */
  readonly before?: { readonly folder: string; readonly manifest: string }
  /** True if an interrupted run left its snapshot. */
  readonly leftCopy: boolean
  /** Run that did not confirm the host in time, and when the host went back (RFC 3339); of the last restore. */
  readonly wentBack?: { readonly run: string; readonly at: string }
  /** True if this login may write there, or may create it. */
  readonly writable: boolean
  /** Free bytes of the file system of the install-directory. */
  readonly freeBytes: number
  /** True if that file system is mounted noexec (mount(8)). */
  readonly noexec: boolean
  /** Name of the system user that muster created. */
  readonly madeUser?: string
  readonly releases: readonly ReleaseFact[]
  readonly runtimes: readonly string[]
  readonly directories: ReadonlyMap<string, DirectoryFact>
  readonly files: ReadonlyMap<string, FileFact>
}

/** Everything that a plan needs to know about a host, read in one round trip before any decision. */
export type HostFacts = InstalledFacts & {
  /** `uname -s` and `uname -m`. */
  readonly kernel: string
  readonly machine: string
  /** PRETTY_NAME of os-release(5). */
  readonly os: string
  readonly login: string
  readonly group: string
  /** True if systemd is process 1 (sd_booted(3)). */
  readonly systemd: boolean
  /** Name of another init system that muster knows; absent if it is systemd or unknown. */
  readonly init?: string
  readonly addresses: readonly string[]
  readonly node?: NodeFact
  /** Primary group of the system user of the components; absent if there is no such user. */
  readonly userGroup?: string
  readonly installation: InstallationFacts
  readonly listeners: readonly Listener[]
  /** Stores that the configuration places on the host (`host:/path`); absent: not readable. */
  readonly hostStores: ReadonlyMap<string, Buffer>
  /** What the host's database starts with; absent where that was not asked for, or is not known. */
  readonly configuredReadOnly?: ConfiguredReadOnly
}
