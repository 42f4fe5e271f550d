import type { InstallationFacts, ReleaseFact } from '../facts/model.ts'

/** Releases that stay on a host: the current one and two to go back to (deployment.md, "Releases"). */
const keptReleases = 3

/** The releases that were the current one on this host, the last first; `current` itself before all. */
export function byTurn({ releases, currentRelease }: InstallationFacts): readonly ReleaseFact[] {
  const rank = ({ id, turn }: ReleaseFact): number => (id === currentRelease ? Number.MAX_VALUE : turn)
  return releases.filter((one) => rank(one) > 0).sort((one, other) => rank(other) - rank(one))
}

/** What can go once `next` is the current release: `releases/NAME`, then `runtimes/NAME` that none of the kept uses. */
export function removable(
  installation: InstallationFacts,
  next: { readonly release: string; readonly runtime: string | undefined },
): readonly string[] {
  const { releases, runtimes } = installation
  const before = byTurn(installation).filter(({ id }) => id !== next.release)
  const kept = [next.release, ...before.slice(0, keptReleases - 1).map(({ id }) => id)]
  const stays = ({ id }: ReleaseFact): boolean => kept.includes(id)
  const needed = [next.runtime, ...releases.filter(stays).map(runtimeOf)]
  return [
    ...releases.filter((release) => !stays(release)).map(({ id }) => `releases/${id}`),
    ...runtimes.filter((id) => !needed.includes(id)).map((id) => `runtimes/${id}`),
  ]
}

/** The runtime of ours that a release runs on; undefined where it is the host's own Node.js. */
const runtimeOf = ({ node }: ReleaseFact): string | undefined =>
  /(?:^|\/)runtimes\/([^/]+)\/node$/.exec(node)?.[1]
