import type { HostConfig } from '../config/model.ts'
import type { Component } from '../contracts/component.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import type { Secret } from '../secrets/secret.ts'
import type { HostFacts } from './facts/hostFacts.ts'
import type { Layout, ServiceData } from './layout.ts'
import type { RuntimeChoice } from './runtime/chooseRuntime.ts'
import type { ServicePlan } from './service.ts'

/** A file that a host must have; a Secret's content is never shown in a plan. */
export type DesiredFile = {
  readonly path: string
  readonly content: Buffer | Secret
  readonly sha256: string
  readonly mode: number
  /** `user:group`. */
  readonly owner: string
}

/** One component as a host must run it. */
export type DesiredComponent = {
  readonly component: Component
  readonly settings: ServerSettings
  readonly settingsFile: DesiredFile
  /** Absent where the component runs as a detached process. */
  readonly unitFile?: DesiredFile
  /** Digest of all that the component reads only when it starts; when it differs, it is restarted. */
  readonly digest: string
}

/** The server program of one release; the same release id means the same bytes and the same runtime. */
export type Release = {
  readonly id: string
  readonly version: string
  /** Absent for a release that the host keeps. */
  readonly program?: { readonly bundle: Buffer; readonly sha256: string }
}

/** A user that a host must have. */
export type DesiredUser = {
  readonly user: string
  /** PHC string; absent when the password is not known here: then the host's user is left as it is. */
  readonly hash?: string
  /** For the proof of the login. */
  readonly password?: Secret
  /** The password that this run replaces, where the state directory knows it. */
  readonly previous?: Secret
  /** The host has this very password, hashed otherwise: no login changes, and all hosts get one hash. */
  readonly hashedOtherwise?: true
}

/** Everything that one host must become; steps compare it with the facts. */
export type Target = {
  readonly cluster: string
  readonly host: HostConfig
  readonly facts: HostFacts
  readonly layout: Layout
  readonly data: ServiceData
  readonly service: ServicePlan
  readonly runtime: RuntimeChoice
  readonly release: Release
  /** Keystore, truststore, key.pem, chain.pem and the secrets file. */
  readonly tls: readonly DesiredFile[]
  /** PEM certificates that sign the host's leaf. */
  readonly authorities: readonly string[]
  /** SHA-256 of the host's leaf, which its components must show; absent where it cannot be read. */
  readonly leaf?: string
  /** The administrator first. */
  readonly users: readonly DesiredUser[]
  readonly components: readonly DesiredComponent[]
}
