import type { HostFacts, ReleaseFact } from '../facts/model.ts'
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
      : (releases.find(({ id }) => id === to) ?? had.find(({ id }) => nameParts(id).version === to))
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
  if (chosen.nodeThere) return chosen
  throw refuse(
    'release-incomplete',
    `the Node.js of the release ${chosen.id} is missing (${chosen.node || 'no path is recorded'})`,
    'Install the version you want with a muster of that version.',
  )
}
