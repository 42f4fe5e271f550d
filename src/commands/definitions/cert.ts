import { allAtOnce } from '../../deployment/execution/rollout.ts'
import { componentGiven, componentOption } from './componentOption.ts'
import { command, type Definition, flag, reaching, runsOnFiles } from './definition.ts'
import { changeFlags, changing } from './deployment.ts'
import { rolling, rollingGiven } from './rolling.ts'

/** Certificates over their whole life. */
export const cert: Definition = (world) => [
  command('cert', 'look after the certificates of the hosts', world)
    .addCommand(
      runsOnFiles(
        componentOption(
          reaching(
            command('list', 'show the certificate of each host, on its disk and as it is served', world),
          ),
        ).option('--json', 'print everything as JSON'),
        world,
        async (options, made) => {
          const { certList } = await import('../cert/list.ts')
          return certList({ ...options, component: componentGiven(made), json: flag(made, 'json') })
        },
      ),
    )
    .addCommand(
      runsOnFiles(
        rolling(
          changing(command('renew', 'give hosts new keys and certificates; restart nothing', world)),
          allAtOnce,
        ),
        world,
        async (options, made) => {
          const { renew } = await import('../cert/renew.ts')
          return renew({ ...options, ...changeFlags(made), rollout: rollingGiven(made, allAtOnce) })
        },
      ),
    ),
]
