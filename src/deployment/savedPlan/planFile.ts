import { isObject, parseJson } from '../../base/json.ts'
import { sha256 } from '../../base/sha256.ts'
import type { SavedHost, SavedPlan, SavedStep } from './savedPlan.ts'

/** The member that says what a file is, and of which version. */
const mark = 'muster-plan'
const version = 1

/** What became of reading a plan. */
export type PlanReading =
  | { readonly plan: SavedPlan }
  /** `foreign`: no plan of muster; `newer`: of a version that this one does not know. */
  | { readonly problem: 'foreign' | 'newer' | 'damaged' }

/** Text of a plan file: JSON, ends with a newline. A digest of all the rest tells later that it is whole. */
export function planFileText(plan: SavedPlan): string {
  const content = { [mark]: version, ...plan }
  return `${JSON.stringify({ ...content, digest: digestOf(content) }, null, 2)}\n`
}

/** Reads a plan file; what is not exactly as it was written is no plan to go by. Never throws. */
export function readPlanFile(text: string): PlanReading {
  const value = parseJson(text)
  if (!isObject(value) || !(mark in value)) {
    // A file that was cut off is no JSON any more, and still says at its beginning what it was.
    return { problem: /^\s*\{\s*"muster-plan"\s*:/.test(text) ? 'damaged' : 'foreign' }
  }
  const { digest, ...content } = value
  const { [mark]: of, ...plan } = content
  if (typeof of === 'number' && of > version) return { problem: 'newer' }
  if (of !== version || digest !== digestOf(content) || !isPlan(plan)) return { problem: 'damaged' }
  return { plan }
}

const digestOf = (content: unknown): string => sha256(JSON.stringify(content))

type Loose = Readonly<Record<string, unknown>>

const areTexts = (value: Loose, names: readonly string[]): boolean =>
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
