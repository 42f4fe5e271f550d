import { canaryThenBatches } from '../../deployment/execution/rollout.ts'
import { command, type Definition, flag, runsOnFiles, signing } from './definition.ts'
import {
  changeFlags,
  changing,
  following,
  keeping,
  planGiven,
  releaseGiven,
  releasing,
  runtime,
  runtimeFileOf,
} from './deployment.ts'
import { rolling, rollingGiven } from './rolling.ts'

/** Going to this muster's own release, host by host. */
export const upgrade: Definition = (world) => [
  runsOnFiles(
    following(
      rolling(
        keeping(
          releasing(
            runtime(
              signing(
                changing(
                  command('upgrade', 'upgrade installed hosts to this release, one host first', world),
                ),
              ),
            ),
          ),
        ),
        canaryThenBatches,
      ),
    ),
    world,
    async (options, made) => {
      const { upgrade: run } = await import('../upgrade.ts')
      const rollout = rollingGiven(made, canaryThenBatches)
      return run({
        ...options,
        ...changeFlags(made),
        rollout,
        runtimeFile: runtimeFileOf(made),
        release: releaseGiven(made),
        plan: planGiven(made),
        replaced: [],
        keepFailed: flag(made, 'keepFailed'),
      })
    },
  ),
]
