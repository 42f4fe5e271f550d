import type { StepPhase } from '../step.ts'

/** One step as it was planned; its lines show secrets as [redacted]. */
export type SavedStep = {
  readonly id: string
  readonly phase: StepPhase
  readonly summary: string
  readonly details: readonly string[]
}

/** What is in the place of a digest where the content does not exist before the installation. */
export const madeAtInstall = 'made at install'

/** What was planned for one host. */
export type SavedHost = {
  readonly host: string
  readonly address: string
  /** Digest of its machine-id, which is not for everybody's eyes (machine-id(5)). */
  readonly machine: string
  /** Digest of what the host was like. */
  readonly facts: string
  /** Digest of what the file gives the host. */
  readonly configuration: string
  /** By option, `secretMarks` of what it is given. */
  readonly secrets: Readonly<Record<string, string>>
  /** By path: the SHA-256 of each file that would be written, or `madeAtInstall`. */
  readonly files: Readonly<Record<string, string>>
  readonly steps: readonly SavedStep[]
}

/** A plan as it is kept in a file: what was to be done, and what that depended on. No secret is in it. */
export type SavedPlan = {
  readonly cluster: string
  /** When (RFC 3339). */
  readonly saved: string
  /** Version of muster. */
  readonly muster: string
  /** Of --release, as it was given; absent: the release of this muster. */
  readonly release?: string
  /** Digest of the services map, which all hosts share. */
  readonly services: string
  /** Hosts of the file that the plan is not for. */
  readonly left: readonly string[]
  readonly hosts: readonly SavedHost[]
}
