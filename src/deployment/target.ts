import type { HostConfig } from '../config/model.ts'
import type { AccessLevel } from '../contracts/accessLevels.ts'
import type { Component } from '../contracts/component.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import type { Secret } from '../secrets/secret.ts'
import type { DesiredService } from './desiredService.ts'
import type { HostFacts } from './facts/hostFacts.ts'
import type { Layout, ServiceData } from './layout.ts'
import type { RuntimeChoice } from './runtime/chooseRuntime.ts'

/** Desired file of a host; a Secret's content is never shown in a plan. */
export type DesiredFile = {
  readonly path: string
  readonly content: Buffer | Secret
  readonly sha256: string
  readonly mode: number
  /** `user:group`. */
  readonly owner: string
}

/** Desired component of a host. */
export type DesiredComponent = {
  readonly component: Component
  readonly settings: ServerSettings
  readonly settingsFile: DesiredFile
  /** Absent if the component runs as a detached process. */
  readonly unitFile?: DesiredFile
  /** Digest of everything that the component reads only at start; if it differs, the component is restarted. */
  readonly digest: string
}

/** Server program of one release; the same id means the same bytes and the same runtime. */
export type Release = {
  readonly id: string
  readonly version: string
  /** Absent for a release that is already on the host. */
  readonly program?: { readonly bundle: Buffer; readonly sha256: string }
}

/** Desired user of a host. */
export type DesiredUser = {
  readonly user: string
  /** Absent: the host's user keeps its level, and a new one gets `full`. */
  readonly access?: AccessLevel
  /** PHC string; absent if the password is unknown here: then the host's user keeps its password. */
  readonly hash?: string
  /** Used to verify the login. */
  readonly password?: Secret
  /** Password that this run replaces, if the state directory has it. */
  readonly previous?: Secret
  /** The host has this password with another hash: no login changes, and all hosts get one hash. */
  readonly hashedOtherwise?: true
}

/** Desired state of one host; steps compare it with the facts. */
export type Target = {
  readonly cluster: string
  readonly host: HostConfig
  readonly facts: HostFacts
  readonly layout: Layout
  readonly data: ServiceData
  readonly service: DesiredService
  readonly runtime: RuntimeChoice
  readonly release: Release
  /** Keystore, truststore, key.pem, chain.pem, the authorities where they are needed, and the secrets file. */
  readonly tls: readonly DesiredFile[]
  /** PEM certificates that may sign the host's leaf. */
  readonly authorities: readonly string[]
  /** SHA-256 of the host's leaf, which its components must present; absent if it cannot be read. */
  readonly leaf?: string
  /** The administrator first. */
  readonly users: readonly DesiredUser[]
  /** Users to remove from the host. */
  readonly removedUsers?: readonly string[]
  readonly components: readonly DesiredComponent[]
}

/** A target for the steps, which need little of the configuration. */
export type StepTarget = Omit<Target, 'host'> & { readonly host: Pick<HostConfig, 'name' | 'proxy'> }
