import type { Command } from 'commander'
import { allInParallel } from '../../deployment/execution/rollout.ts'
import { componentGiven, componentOption } from './componentOption.ts'
import { command, type Definition, flag, reaching, runsOnFiles, signing } from './definition.ts'
import { lockWait, lockWaitGiven } from './lockWait.ts'
import { replaced, replacedGiven } from './replaced.ts'
import { rolling, rollingGiven } from './rolling.ts'
import { runs } from './runs.ts'

/** Adds what every command has that changes hosts. */
export const changing = (made: Command): Command => asking(reaching(made))

/** Adds --yes, --lock-wait and --json. */
export const asking = (made: Command): Command =>
  lockWait(made.option('-y, --yes', 'change hosts without asking')).option(
    '--json',
    'print events as JSON lines',
  )

/** Adds --runtime-file. */
export const runtime = (made: Command): Command =>
  made.option('--runtime-file <path>', 'use this Node.js archive for the hosts instead of a download')

/** Adds --release. */
export const releasing = (made: Command): Command =>
  made.option(
    '--release <release>',
    'run this release or version that the hosts keep, not the one of this muster',
  )

/** The value of --release. */
export const releaseGiven = (made: Command): string | undefined => made.opts<{ release?: string }>().release

/** Adds --keep-failed. */
export const keeping = (made: Command): Command =>
  made.option('--keep-failed', 'do not roll back a host that fails, so that you can inspect it')

/** Adds --plan. */
export const following = (made: Command): Command =>
  made.option('--plan <plan>', 'apply exactly this plan of `muster plan --out`, without asking')

/** What --plan was given. */
export const planGiven = (made: Command): string | undefined => made.opts<{ plan?: string }>().plan

/** What the options of `changing` were given. */
export const changeFlags = (
  made: Command,
): { readonly yes: boolean; readonly json: boolean; readonly lockWait: number } => ({
  yes: flag(made, 'yes'),
  json: flag(made, 'json'),
  lockWait: lockWaitGiven(made),
})

/** What --runtime-file was given. */
export const runtimeFileOf = (made: Command): string | undefined =>
  made.opts<{ runtimeFile?: string }>().runtimeFile

/** What touches hosts, or looks at them. */
export const deployment: Definition = (world) => [
  runsOnFiles(
    signing(
      replaced(
        releasing(
          runtime(reaching(command('plan', 'show what install would change; change nothing', world))),
        ),
      ),
    )
      .option('--out <plan>', 'save the plan for install --plan or upgrade --plan')
      .option('--json', 'print the plan as JSON')
      .addHelpText('after', 'Exit codes: 0 no changes, 2 changes pending; others as in `muster --help`.'),
    world,
    async (options, made) => {
      const { plan } = await import('../plan.ts')
      const { out } = made.opts<{ out?: string }>()
      return plan({
        ...options,
        json: flag(made, 'json'),
        replaced: replacedGiven(made),
        runtimeFile: runtimeFileOf(made),
        release: releaseGiven(made),
        out,
      })
    },
  ),
  runsOnFiles(
    following(
      rolling(
        keeping(
          replaced(
            releasing(
              runtime(
                signing(
                  changing(command('install', 'bring every host to the configuration and verify it', world)),
                ),
              ),
            ),
          ),
        ),
        allInParallel,
      ),
    ),
    world,
    async (options, made) => {
      const { install } = await import('../install.ts')
      return install({
        ...options,
        ...changeFlags(made),
        rollout: rollingGiven(made, allInParallel),
        runtimeFile: runtimeFileOf(made),
        release: releaseGiven(made),
        plan: planGiven(made),
        replaced: replacedGiven(made),
        keepFailed: flag(made, 'keepFailed'),
      })
    },
  ),
  runsOnFiles(
    componentOption(
      reaching(command('status', 'show the current state of every host and component', world)),
    ).option('--json', 'print the status as JSON'),
    world,
    async (options, made) => {
      const { status } = await import('../status.ts')
      return status({ ...options, component: componentGiven(made), json: flag(made, 'json') })
    },
  ),
  ...(['start', 'stop', 'restart'] as const).map((operation) => {
    const made = componentOption(
      changing(command(operation, `${operation} the components of every host`, world)),
    )
    const rolls = operation === 'restart'
    return runsOnFiles(rolls ? rolling(made, allInParallel) : made, world, async (options) => {
      const { services } = await import('../services.ts')
      const rollout = rolls ? rollingGiven(made, allInParallel) : allInParallel
      return services({
        ...options,
        operation,
        component: componentGiven(made),
        ...changeFlags(made),
        rollout,
      })
    })
  }),
  runsOnFiles(
    changing(command('uninstall', 'remove what install put on every host', world)).option(
      '--purge',
      'also delete the state directory and its certificate authority',
    ),
    world,
    async (options, made) => {
      const { uninstall } = await import('../uninstall.ts')
      return uninstall({ ...options, ...changeFlags(made), purge: flag(made, 'purge') })
    },
  ),
  ...runs(world),
]
