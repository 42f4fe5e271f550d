import { agreed } from '../cli/ask.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { preview } from '../deployment/hostPlan.ts'
import type { HostChecks } from '../deployment/preflight/checkHosts.ts'
import { remedySteps } from '../deployment/preflight/remedies.ts'
import { allFacts } from '../deployment/survey.ts'
import { runSteps } from '../session/runSteps.ts'
import type { SelectedCluster } from '../session/selectTargets.ts'
import { withHosts } from '../session/withHosts.ts'

/**
 * Mends on the hosts what the checks found and muster may mend by itself, after it was shown and agreed to, as a run
 * with locks and a record. `nothing` where there is no such thing; an exit code where it did not get done.
 */
export async function mend(options: {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly found: readonly HostChecks[]
  readonly yes: boolean
  readonly lockWait: number
}): Promise<'done' | 'nothing' | ExitCode> {
  const { context, found, yes } = options
  const { stdout, stderr } = context
  const remedies = new Map(found.map((one) => [one.host, remedySteps(one)]))
  const hosts = options.config.hosts.filter(({ name }) => (remedies.get(name)?.length ?? 0) > 0)
  if (hosts.length === 0) {
    stdout.write('\nThere is nothing that muster can fix by itself.\n')
    return 'nothing'
  }
  const lines = hosts.flatMap(
    ({ name }) => remedies.get(name)?.map(({ title }) => `  ${name}: ${title}`) ?? [],
  )
  stdout.write(`\nmuster can fix by itself:\n${lines.join('\n')}\n`)
  if (!(await agreed(context, { yes, question: 'Go on?' }))) {
    stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  const exit = await withHosts({
    look: allFacts,
    context,
    config: { ...options.config, hosts },
    json: false,
    yes,
    operation: 'check --fix',
    lockWait: options.lockWait,
    requires: 'none',
    work: (session) => {
      const work = session.survey.reached.map(({ host, transport, facts }) => ({
        host: host.name,
        transport,
        steps: preview(remedies.get(host.name) ?? [], facts),
      }))
      return runSteps({ ...session, work })
    },
  })
  stdout.write('\n')
  return exit === exitCodes.ok ? 'done' : exit
}
