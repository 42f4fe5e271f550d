import { allInParallel } from '../../deployment/execution/rollout.ts'
import { command, type Definition, flag, reaching, runsOnFiles } from './definition.ts'
import { lockWait, lockWaitGiven } from './lockWait.ts'
import { rolling, rollingGiven } from './rolling.ts'

/** Going back to a release that is still on the hosts. */
export const rollback: Definition = (world) => [
  runsOnFiles(
    rolling(
      lockWait(
        reaching(command('rollback', 'go back to the previous release on every host', world))
          .option('--to <release>', 'rollback target: a release or version (default: the previous one)')
          .option('-y, --yes', 'change hosts without asking'),
      ).option('--json', 'print events as JSON lines'),
      allInParallel,
    ),
    world,
    async (options, made) => {
      const { rollback: run } = await import('../rollback.ts')
      return run({
        ...options,
        to: made.opts<{ to?: string }>().to,
        yes: flag(made, 'yes'),
        json: flag(made, 'json'),
        lockWait: lockWaitGiven(made),
        rollout: rollingGiven(made, allInParallel),
      })
    },
  ),
]
