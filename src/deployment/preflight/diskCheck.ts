import type { PlannedStep } from '../hostPlan.ts'
import { StepError } from '../stepError.ts'
import { type Candidate, type Check, failures, ok, warning } from './checkContract.ts'

/** Checks the free space for an installation, for any change of one, or for the next release beside it. */
export const diskCheck: Check = {
  id: 'disk',
  check: (candidate) => {
    const { host, facts } = candidate
    // An existing installation already uses its own space.
    if (facts.installation.manifest !== undefined || hasFreeSpace(candidate)) return []
    return [
      new StepError({
        host: host.name,
        code: 'disk-full',
        message: `${freeSpaceText(candidate)}, but needs ${mebibytes(neededBytes)}`,
        fix: 'Free disk space there, or choose another install-directory.',
      }),
    ]
  },
  describe: (subject) => {
    const { host, facts } = subject
    if (facts.installation.freeBytes < changeBytes) return failures([problemOf(host, facts, changeBytes)])
    if (hasFreeSpace(subject)) return ok(freeSpaceText(subject))
    return warning(
      `${freeSpaceText(subject)}: another release and runtime may not fit`,
      'Free disk space there before the next upgrade.',
    )
  },
}

const mebibyte = 1024 * 1024

/** Bytes that any change needs: the snapshot, and new files beside the old ones. */
const changeBytes = 16 * mebibyte

/** Bytes that a step needs beyond that: a runtime beside its packed form, a program with its compiled code. */
const stepBytes: ReadonlyMap<string, number> = new Map([
  ['runtime', 200 * mebibyte],
  ['release', 50 * mebibyte],
])

/** Returns the problem of a host that has too little space for the steps planned there; none without changes. */
export function spaceProblems({
  host,
  facts,
  steps,
}: {
  readonly host: SpaceHost
  readonly facts: SpaceFacts
  readonly steps: readonly PlannedStep[]
}): readonly StepError[] {
  if (steps.every(({ change }) => change.kind === 'delete')) return []
  const needed = steps.reduce((sum, { step }) => sum + (stepBytes.get(step.id) ?? 0), changeBytes)
  return facts.installation.freeBytes < needed ? [problemOf(host, facts, needed)] : []
}

type SpaceHost = Pick<Candidate['host'], 'name' | 'installDirectory'>
type SpaceFacts = { readonly installation: Pick<Candidate['facts']['installation'], 'freeBytes'> }

const problemOf = (host: SpaceHost, facts: SpaceFacts, needed: number): StepError =>
  new StepError({
    host: host.name,
    code: 'disk-full',
    message: `${freeSpaceText({ host, facts })}, but a change ${needed === changeBytes ? '' : 'like this one '}needs ${mebibytes(needed)}`,
    fix: 'Free disk space there, then run the command again.',
  })

/** Bytes needed on a host: a runtime, its packed form and two releases. */
const neededBytes = 300 * mebibyte

const hasFreeSpace = ({ facts }: Candidate): boolean => facts.installation.freeBytes >= neededBytes

const freeSpaceText = ({ host, facts }: { readonly host: SpaceHost; readonly facts: SpaceFacts }): string =>
  `${host.installDirectory} has ${mebibytes(facts.installation.freeBytes)} free`

const mebibytes = (bytes: number): string => `${Math.floor(bytes / mebibyte)} MiB`
