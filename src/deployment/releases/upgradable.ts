import type { HostConfig } from '../../config/model.ts'
import type { HostFacts } from '../facts/model.ts'
import { StepError } from '../stepError.ts'
import { nameParts, releasesNamed } from './choose.ts'
import { isNewer } from './versions.ts'

/** Why a host cannot be upgraded to this version; undefined where it can. */
export function notUpgradable(options: {
  readonly host: HostConfig
  readonly facts: HostFacts
  /** Of the muster that would upgrade it. */
  readonly version: string
  /** Of --release. */
  readonly release?: string | undefined
}): StepError | undefined {
  const { host, facts, version, release } = options
  const { manifest, currentRelease } = facts.installation
  if (manifest === undefined || currentRelease === undefined) {
    return new StepError({
      host: host.name,
      code: 'not-installed',
      message: `nothing to upgrade is installed in ${host.installDirectory}`,
      fix: `Install it with \`muster install --host ${host.name}\`, or exclude it with --host.`,
    })
  }
  const runs = nameParts(currentRelease).version
  if (release !== undefined) {
    // A host that does not keep it is refused later, together with the others.
    const [to] = releasesNamed(facts.installation, release)
    if (to === undefined || !isNewer(runs, nameParts(to.id).version)) return undefined
    return new StepError({
      host: host.name,
      code: 'newer-release',
      message: `it runs ${runs}, which is newer than the release ${to.id}`,
      fix: `To go back on purpose: \`muster rollback --to ${release}\`, or \`muster install --release ${release}\`.`,
    })
  }
  if (!isNewer(runs, version)) return undefined
  return new StepError({
    host: host.name,
    code: 'newer-release',
    message: `it runs ${runs}, which is newer than this muster, ${version}`,
    fix: `Upgrade with muster ${runs} or a newer one. To go back on purpose: \`muster rollback\`.`,
  })
}
