import { type Command, Option } from 'commander'
import { allAtOnce } from '../../deployment/execution/rollout.ts'
import { type ValidateFormat, validateFormats } from '../validateFormats.ts'
import { componentGiven, componentOption } from './componentOption.ts'
import { command, type Definition, flag, reaching, runsOnFiles, type World } from './definition.ts'
import { changeFlags, changing } from './deployment.ts'
import { rolling, rollingGiven } from './rolling.ts'

/** Certificates over their whole life. */
export const cert: Definition = (world) => [
  command('cert', 'look after the certificates of the hosts', world)
    .addCommand(list(world))
    .addCommand(check(world))
    .addCommand(renew(world)),
]

const list = (world: World): Command =>
  runsOnFiles(
    componentOption(
      reaching(command('list', 'show the certificate of each host, on its disk and as it is served', world)),
    ).option('--json', 'print everything as JSON'),
    world,
    async (options, made) => {
      const { certList } = await import('../cert/list.ts')
      return certList({ ...options, component: componentGiven(made), json: flag(made, 'json') })
    },
  )

const check = (world: World): Command =>
  runsOnFiles(
    componentOption(reaching(command('check', 'judge the certificates of all hosts, for cron and CI', world)))
      .addOption(
        new Option('--format <format>', 'how findings are printed').choices(validateFormats).default('text'),
      )
      .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
      .addHelpText('after', '\nWarnings count: tls-warning-days says when a certificate is to be told of.'),
    world,
    async (options, made) => {
      const { certCheck } = await import('../cert/check.ts')
      const { format } = made.opts<{ format: ValidateFormat }>()
      return certCheck({
        ...options,
        component: componentGiven(made),
        format: flag(made, 'json') ? 'json' : format,
      })
    },
  )

const renew = (world: World): Command =>
  runsOnFiles(
    rolling(
      changing(command('renew', 'give hosts new keys and certificates; restart nothing', world)),
      allAtOnce,
    ),
    world,
    async (options, made) => {
      const { renew: run } = await import('../cert/renew.ts')
      return run({ ...options, ...changeFlags(made), rollout: rollingGiven(made, allAtOnce) })
    },
  )
