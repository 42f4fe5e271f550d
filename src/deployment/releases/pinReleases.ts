import { shortListOf } from '../../base/words.ts'
import { groupBy } from '../../diagnostics/groupBy.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import type { KeptRuntime } from '../runtime/chooseRuntime.ts'
import { StepError } from '../stepError.ts'
import type { SurveyedHost } from '../survey.ts'
import type { Target } from '../target.ts'
import { isNewer, nameParts, releasesByRecency, releasesNamed, requireNode } from './chooseRelease.ts'
import { rolledBackMarker } from './releaseScripts.ts'

/** Maximum number of hosts per line. */
const maxHostsPerLine = 8

/**
 * Finds on every host the release that `wanted` names, by id or by version; returns none without it. Reports all
 * hosts that do not have it, or that have several of that version.
 */
export function pinReleases(
  surveyed: readonly Pick<SurveyedHost, 'host' | 'facts'>[],
  wanted: string | undefined,
): { readonly runtimes: ReadonlyMap<string, KeptRuntime>; readonly problems: readonly StepError[] } {
  const runtimes = new Map<string, KeptRuntime>()
  const problems: StepError[] = []
  if (wanted === undefined) return { runtimes, problems }
  for (const { host, facts } of surveyed) {
    try {
      const [release, ...others] = releasesNamed(facts.installation, wanted)
      if (release === undefined) throw releaseNotFound(host.name, wanted, surveyed)
      if (others.length > 0) throw ambiguous(host.name, wanted, [release, ...others])
      requireNode(host.name, release)
      runtimes.set(host.name, { kind: 'kept', path: release.node, release: release.id })
    } catch (error) {
      if (!(error instanceof StepError)) throw error
      problems.push(error)
    }
  }
  return { runtimes, problems }
}

function releaseNotFound(
  host: string,
  wanted: string,
  surveyed: readonly Pick<SurveyedHost, 'host' | 'facts'>[],
): StepError {
  const kept = surveyed.map(({ host: { name }, facts }) => {
    const ids = releasesByRecency(facts.installation).map(({ id }) => id)
    return { host: name, ids: ids.length === 0 ? 'none' : ids.join(', ') }
  })
  return new StepError({
    host,
    code: 'no-such-release',
    message: [
      `the release ${wanted} is not on this host`,
      ...linesOf(kept, ({ ids }) => ids).map(
        ({ hosts, first: { ids } }) => `${hosts} ${hosts.includes(' ') ? 'have' : 'has'} ${ids}`,
      ),
    ].join('\n    '),
    fix: 'Name a release that every host has, or select the hosts that have it with --host. Without --release, muster installs its own release.',
  })
}

function ambiguous(host: string, wanted: string, releases: readonly { readonly id: string }[]): StepError {
  const ids = releases.map(({ id }) => id)
  return new StepError({
    host,
    code: 'ambiguous-release',
    message: `${wanted} matches several releases on this host: ${ids.join(', ')}`,
    fix: `Name one of them, such as --release ${ids[0]}.`,
  })
}

/** Warns about hosts that were rolled back and would be upgraded again, and says how to prevent it. */
export function upgradeNotes(targets: readonly Target[]): readonly string[] {
  const moves = targets.flatMap(({ host, facts, release }) => {
    const from = facts.installation.currentRelease
    return from !== undefined && wasRolledBack(facts, from, release.id)
      ? [{ host: host.name, from, to: release.id }]
      : []
  })
  return linesOf(moves, ({ from, to }) => JSON.stringify([from, to])).map(
    ({ hosts, first: { from, to } }) =>
      `upgrade again from release ${from} to ${to} after a rollback: ${hosts}; \`--release ${from}\` keeps the older one`,
  )
}

/** Returns true if the installation would upgrade a host that was rolled back from a newer release. */
function wasRolledBack({ installation }: HostFacts, from: string, to: string): boolean {
  const version = (id: string): string => nameParts(id).version
  if (from === to || isNewer(version(from), version(to))) return false
  const marks = [...installation.applied.values()].map((text) => text.trim())
  if (marks.includes(rolledBackMarker(from))) return true
  // An installation with --release leaves no such marker, but the newer release was current before.
  return releasesByRecency(installation).some(({ id }) => id === to || isNewer(version(id), version(from)))
}

/** Groups hosts by key: their names as one list, and the first of them. */
const linesOf = <One extends { readonly host: string }>(
  all: readonly One[],
  keyOf: (one: One) => string,
): readonly { readonly hosts: string; readonly first: One }[] =>
  groupBy(all, keyOf).map((group) => ({
    hosts: shortListOf(
      group.map(({ host }) => host),
      maxHostsPerLine,
    ),
    first: group[0],
  }))
