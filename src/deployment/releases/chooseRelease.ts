import type { FailureCode } from '../../diagnostics/failures.ts'
import type { HostFacts, InstallationFacts, ReleaseFact } from '../facts/hostFacts.ts'
import { StepError } from '../stepError.ts'
import { unfinishedRollback } from './releaseScripts.ts'

/** Number of releases that stay on a host: the current one and two to go back to (deployment.md, "Releases"). */
const keptReleases = 3

/** Returns the releases that were current on this host, latest first; `current` itself is first. */
export function releasesByRecency({ releases, currentRelease }: InstallationFacts): readonly ReleaseFact[] {
  const rank = ({ id, turn }: ReleaseFact): number => (id === currentRelease ? Number.MAX_VALUE : turn)
  return releases.filter((one) => rank(one) > 0).sort((one, other) => rank(other) - rank(one))
}

/**
 * Returns what is obsolete once `next` is the current release: `releases/NAME`, then `runtimes/NAME` that no kept
 * release uses.
 */
export function removable(
  installation: InstallationFacts,
  next: { readonly release: string; readonly runtime: string | undefined },
): readonly string[] {
  const { releases, runtimes } = installation
  const before = releasesByRecency(installation).filter(({ id }) => id !== next.release)
  const kept = [next.release, ...before.slice(0, keptReleases - 1).map(({ id }) => id)]
  const stays = ({ id }: ReleaseFact): boolean => kept.includes(id)
  const needed = [next.runtime, ...releases.filter(stays).map(runtimeOf)]
  return [
    ...releases.filter((release) => !stays(release)).map(({ id }) => `releases/${id}`),
    ...runtimes.filter((id) => !needed.includes(id)).map((id) => `runtimes/${id}`),
  ]
}

/** Returns the runtime of muster that a release runs on; undefined if it is the host's own Node.js. */
const runtimeOf = ({ node }: ReleaseFact): string | undefined =>
  /(?:^|\/)runtimes\/([^/]+)\/node$/.exec(node)?.[1]

/** Parses a version; undefined if it is invalid (semver.org, 2.0.0). */
function parse(
  version: string,
): { readonly numbers: readonly number[]; readonly prerelease: readonly string[] } | undefined {
  const [, numbers, before] =
    /^(\d{1,9}\.\d{1,9}\.\d{1,9})(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(version) ?? []
  if (numbers === undefined) return undefined
  return { numbers: numbers.split('.').map(Number), prerelease: before?.split('.') ?? [] }
}

/** Returns true if the first version is newer (semver.org, section 11); an invalid version is newer than none. */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [parse(version), parse(than)]
  if (one === undefined || other === undefined) return false
  for (const [index, number] of one.numbers.entries()) {
    const difference = number - (other.numbers[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  // A release is newer than its prereleases.
  if (one.prerelease.length === 0 || other.prerelease.length === 0) {
    return one.prerelease.length === 0 && other.prerelease.length > 0
  }
  for (let index = 0; ; index += 1) {
    const [mine, theirs] = [one.prerelease[index], other.prerelease[index]]
    if (mine === undefined || theirs === undefined) return mine !== undefined
    if (mine !== theirs) return isAfter(mine, theirs)
  }
}

/** Compares prerelease identifiers: numbers by value, before words; words in ASCII order. */
function isAfter(word: string, than: string): boolean {
  const [number, other] = [word, than].map((text) => (/^\d+$/.test(text) ? Number(text) : undefined))
  if (number !== undefined && other !== undefined) return number > other
  if (number !== undefined || other !== undefined) return number === undefined
  return word > than
}

/** Splits the name of a release, `VERSION-DIGEST`. */
export function nameParts(id: string): { readonly version: string; readonly digest: string } {
  const dash = id.lastIndexOf('-')
  return dash === -1
    ? { version: id, digest: '' }
    : { version: id.slice(0, dash), digest: id.slice(dash + 1) }
}

/**
 * Returns the releases of a host that match `wanted`: the one with that id, otherwise those of that version, latest
 * current first.
 */
export function releasesNamed(installation: InstallationFacts, wanted: string): readonly ReleaseFact[] {
  const exact = installation.releases.filter(({ id }) => id === wanted)
  if (exact.length > 0) return exact
  return releasesByRecency(installation).filter(({ id }) => nameParts(id).version === wanted)
}

/** Throws a `StepError` if the Node.js of a release is missing. */
export function requireNode(host: string, { id, node, nodeThere }: ReleaseFact): void {
  if (nodeThere) return
  throw new StepError({
    host,
    code: 'release-incomplete',
    message: `the Node.js of the release ${id} is missing (${node || 'no path is recorded'})`,
    fix: 'Install the version you want with a muster of that version.',
  })
}

/**
 * Returns the release for a rollback: the target of an interrupted rollback, otherwise the previous release, or the
 * one that `to` names by id or by version; of several with one version, the last that was current. Throws a
 * `StepError` if there is none, or if it could not start.
 */
export function rollbackTarget(facts: HostFacts, to: string | undefined): ReleaseFact {
  const { releases, currentRelease } = facts.installation
  const refuse = (code: FailureCode, message: string, fix: string): StepError =>
    new StepError({ host: facts.host, code, message, fix })
  if (currentRelease === undefined) {
    throw refuse('not-installed', 'nothing is installed there', 'Run `muster install` first.')
  }
  const previous = releasesByRecency(facts.installation)
  const unfinished = unfinishedRollback(facts.installation)
  const chosen =
    to === undefined
      ? (releases.find(({ id }) => id === unfinished) ?? previous.find(({ id }) => id !== currentRelease))
      : releasesNamed(facts.installation, to)[0]
  const others = previous.filter(({ id }) => id !== currentRelease).map(({ id }) => id)
  if (chosen === undefined) {
    throw refuse(
      'no-such-release',
      to === undefined
        ? `no rollback target: there is no release before ${currentRelease}`
        : `the release ${to} is not installed; the host has ${[currentRelease, ...others].join(', ')}`,
      to === undefined || others.length === 0
        ? 'Install the version you want with a muster of that version.'
        : `Use --to with a release that every host has, such as ${others[0]}.`,
    )
  }
  requireNode(facts.host, chosen)
  return chosen
}
