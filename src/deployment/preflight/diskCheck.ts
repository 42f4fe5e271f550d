import { StepError } from '../stepError.ts'
import { type Candidate, type Check, ok, warning } from './checkContract.ts'

/** Checks the free space for an installation, or for the next one beside it. */
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
  describe: (subject) =>
    hasFreeSpace(subject)
      ? ok(freeSpaceText(subject))
      : warning(
          `${freeSpaceText(subject)}: another release and runtime may not fit`,
          'Free disk space there before the next upgrade.',
        ),
}

/** Bytes needed on a host: a runtime, its packed form and two releases. */
const neededBytes = 300 * 1024 * 1024

const hasFreeSpace = ({ facts }: Candidate): boolean => facts.installation.freeBytes >= neededBytes

const freeSpaceText = ({ host, facts }: Candidate): string =>
  `${host.installDirectory} has ${mebibytes(facts.installation.freeBytes)} free`

const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MiB`
