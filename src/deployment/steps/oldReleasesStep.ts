import { removable } from '../releases/chooseRelease.ts'
import { removeScript } from '../releases/releaseScripts.ts'
import { runOrThrow } from '../runOrThrow.ts'
import { deletion, type Step } from '../step.ts'
import type { StepTarget } from '../target.ts'

/**
 * Removes releases beyond the last three, and runtimes that none of those uses; after verification, because until
 * then the new release may fail.
 */
export function oldReleasesStep(target: StepTarget): Step {
  const { layout, release, runtime } = target
  const next = { release: release.id, runtime: runtime.kind === 'sent' ? runtime.id : undefined }
  return {
    id: 'old-releases',
    title: 'remove old releases',
    phase: 'verify',
    check: ({ installation }) => {
      const paths = removable(installation, next)
      return paths.length === 0 ? undefined : deletion('remove old releases', paths)
    },
    apply: async (transport, { installation }) => {
      await runOrThrow(transport, {
        doing: 'removing old releases',
        fix: `Check ${layout.releases} and ${layout.runtimes} on the host, then install again.`,
        script: removeScript(layout, removable(installation, next)),
      })
    },
  }
}
