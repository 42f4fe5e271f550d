import type { HostFacts, InstallationFacts, ReleaseFact } from '../facts/model.ts'
import { StepError } from '../stepError.ts'
import { byTurn } from './kept.ts'
import { unfinishedRollback } from './unfinished.ts'

/** Version and digest of a release's name, `VERSION-DIGEST`. */
export function nameParts(id: string): { readonly version: string; readonly digest: string } {
  const dash = id.lastIndexOf('-')
  return dash === -1
    ? { version: id, digest: '' }
    : { version: id.slice(0, dash), digest: id.slice(dash + 1) }
}

/** Releases of a host that `wanted` names: the one with that id, else those of that version, the last that was current first. */
export function releasesNamed(installation: InstallationFacts, wanted: string): readonly ReleaseFact[] {
  const exact = installation.releases.filter(({ id }) => id === wanted)
  if (exact.length > 0) return exact
  return byTurn(installation).filter(({ id }) => nameParts(id).version === wanted)
}

/** Throws a `StepError` where the Node.js of a release is gone. */
export function mustHaveNode(host: string, { id, node, nodeThere }: ReleaseFact): void {
  if (nodeThere) return
  throw new StepError({
    host,
    code: 'release-incomplete',
    message: `the Node.js of the release ${id} is missing (${node || 'no path is recorded'})`,
    fix: 'Install the version you want with a muster of that version.',
  })
}

/**
 * The release a host goes back to: the one that an interrupted rollback had begun to, else the one before the
 * current, or the one that `to` names, by its whole name
 * or by its version; of several of one version the last that was current. Throws a `StepError` where there is
 * none, or where it could not start.
 */
export function releaseToGoTo(facts: HostFacts, to: string | undefined): ReleaseFact {
  const { releases, currentRelease } = facts.installation
  const refuse = (code: string, message: string, fix: string): StepError =>
    new StepError({ host: facts.host, code, message, fix })
  if (currentRelease === undefined) {
    throw refuse('not-installed', 'nothing is installed there', 'Run `muster install` first.')
  }
  const had = byTurn(facts.installation)
  const begun = unfinishedRollback(facts.installation)
  const chosen =
    to === undefined
      ? (releases.find(({ id }) => id === begun) ?? had.find(({ id }) => id !== currentRelease))
      : releasesNamed(facts.installation, to)[0]
  const others = had.filter(({ id }) => id !== currentRelease).map(({ id }) => id)
  if (chosen === undefined) {
    throw refuse(
      'no-such-release',
      to === undefined
        ? `no rollback target: there is no release before ${currentRelease}`
        : `the release ${to} is not installed; the host has ${[currentRelease, ...others].join(', ')}`,
      to === undefined || others.length === 0
        ? 'Install the version you want with a muster of that version.'
        : `Name one that every host has with --to, such as ${others[0]}.`,
    )
  }
  mustHaveNode(facts.host, chosen)
  return chosen
}
