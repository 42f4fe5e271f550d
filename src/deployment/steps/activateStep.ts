import { switchScript } from '../releases/releaseScripts.ts'
import { runOrThrow } from '../runOrThrow.ts'
import { change, type Step } from '../step.ts'
import type { StepTarget } from '../target.ts'

/** Points `current` to the release by one atomic rename of a symlink. */
export function activateStep(target: StepTarget): Step {
  const { release, layout } = target
  return {
    id: 'activate',
    title: `switch to release ${release.id}`,
    phase: 'commit',
    batchable: true,
    check: (facts) => {
      const is = facts.installation.currentRelease
      if (is === release.id) return undefined
      return change(`switch ${is === undefined ? '' : `from ${is} `}to release ${release.id}`)
    },
    apply: async (transport) => {
      await runOrThrow(transport, {
        doing: `switching to release ${release.id}`,
        fix: 'Install again.',
        script: `set -e\n${switchScript(layout, release.id)}`,
      })
    },
  }
}
