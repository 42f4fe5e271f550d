import { isObject, parseJson } from '../../base/json.ts'
import { sha256 } from '../../base/sha256.ts'
import type { StepPhase } from '../step.ts'

/** Planned step; its lines show secrets as [redacted]. */
export type SavedStep = {
  readonly id: string
  readonly phase: StepPhase
  readonly summary: string
  readonly details: readonly string[]
}

/** Replaces the digest of content that the installation generates. */
export const madeAtInstall = 'made at install'

/** Plan of one host. */
export type SavedHost = {
  readonly host: string
  readonly address: string
  /** Digest of its machine-id, which should stay private (machine-id(5)). */
  readonly machine: string
  /** Digest of the facts. */
  readonly facts: string
  /** Digest of the host's configuration. */
  readonly configuration: string
  /** Marks of `secretMarks` by option. */
  readonly secrets: Readonly<Record<string, string>>
  /** By path: the SHA-256 of each file to write, or `madeAtInstall`. */
  readonly files: Readonly<Record<string, string>>
  readonly steps: readonly SavedStep[]
}

/** Content of a plan file: the steps, and what they depend on. No secrets. */
export type SavedPlan = {
  readonly cluster: string
  /** Time (RFC 3339). */
  readonly saved: string
  /** Version of muster. */
  readonly muster: string
  /** Value of --release; absent: the release of this muster. */
  readonly release?: string
  /** Digest of the services map, which all hosts share. */
  readonly services: string
  /** Hosts of the file that are excluded from the plan. */
  readonly left: readonly string[]
  readonly hosts: readonly SavedHost[]
}

/** Member that identifies a plan file and its version. */
const formatMember = 'muster-plan'
const version = 1

/** Result of reading a plan file. */
type PlanReading =
  | { readonly plan: SavedPlan }
  /** `foreign`: not a plan of muster; `newer`: of a version that this muster does not know. */
  | { readonly problem: 'foreign' | 'newer' | 'damaged' }

/** Returns the text of a plan file: JSON, ends with a newline. A digest of all the rest reveals damage. */
export function planFileText(plan: SavedPlan): string {
  const content = { [formatMember]: version, ...plan }
  return `${JSON.stringify({ ...content, digest: digestOf(content) }, null, 2)}\n`
}

/** Reads a plan file; any change of its bytes makes it invalid. Never throws. */
export function readPlanFile(text: string): PlanReading {
  const value = parseJson(text)
  if (!isObject(value) || !(formatMember in value)) {
    // A truncated file is invalid JSON, but its beginning still identifies it.
    return { problem: /^\s*\{\s*"muster-plan"\s*:/.test(text) ? 'damaged' : 'foreign' }
  }
  const { digest, ...content } = value
  const { [formatMember]: of, ...plan } = content
  if (typeof of === 'number' && of > version) return { problem: 'newer' }
  if (of !== version || digest !== digestOf(content) || !isPlan(plan)) return { problem: 'damaged' }
  return { plan }
}

const digestOf = (content: unknown): string => sha256(JSON.stringify(content))

type UnknownObject = Readonly<Record<string, unknown>>

const areTexts = (value: UnknownObject, names: readonly string[]): boolean =>
  names.every((name) => typeof value[name] === 'string')

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

const isTextTable = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((one) => typeof one === 'string')

const isListOf = (value: unknown, is: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(is)

const isStep = (value: unknown): value is SavedStep =>
  isObject(value) &&
  areTexts(value, ['id', 'summary']) &&
  ['stage', 'commit', 'verify'].some((phase) => phase === value.phase) &&
  isTextList(value.details)

const isHost = (value: unknown): value is SavedHost =>
  isObject(value) &&
  areTexts(value, ['host', 'address', 'machine', 'facts', 'configuration']) &&
  isTextTable(value.secrets) &&
  isTextTable(value.files) &&
  isListOf(value.steps, isStep)

function isPlan(value: unknown): value is SavedPlan {
  return (
    isObject(value) &&
    areTexts(value, ['cluster', 'saved', 'muster', 'services']) &&
    (value.release === undefined || typeof value.release === 'string') &&
    isTextList(value.left) &&
    isListOf(value.hosts, isHost)
  )
}
