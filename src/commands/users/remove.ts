import { agreed, mustBeAbleToAsk } from '../../cli/confirmChanges.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { Interrupted } from '../../cli/interrupted.ts'
import { UsageError } from '../../cli/usageError.ts'
import type { HostOutcome } from '../../deployment/events.ts'
import type { InstalledFacts } from '../../deployment/facts/model.ts'
import { failureOf } from '../../deployment/failure.ts'
import { provedHosts } from '../../deployment/runs/runRecord.ts'
import { openState } from '../../deployment/state/openState.ts'
import { saveState } from '../../deployment/state/saveState.ts'
import { StepError } from '../../deployment/stepError.ts'
import { installedLook, lostOutcomes, type Survey } from '../../deployment/survey.ts'
import { extraUsers } from '../../deployment/users/decideUsers.ts'
import { removeFromHost } from '../../deployment/users/removeFromHost.ts'
import { settled } from '../../deployment/users/rotation.ts'
import { shortListOf } from '../../diagnostics/words.ts'
import { chooseRenderer } from '../../session/chooseRenderer.ts'
import type { Run } from '../../session/inRun.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { refuseHosts } from '../../session/refuseHosts.ts'
import { runSteps } from '../../session/runSteps.ts'
import { namesOf, type SelectedCluster } from '../../session/selectTargets.ts'
import { showPlan } from '../../session/showPlan.ts'
import { withHosts } from '../../session/withHosts.ts'

export type RemoveOptions = ClusterOptions & {
  readonly user: string
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
}

type Work = RemoveOptions & {
  readonly config: SelectedCluster
  readonly survey: Survey<InstalledFacts>
  readonly run: Run
}

const operationOf = ({ user }: Pick<RemoveOptions, 'user'>): string => `users remove ${user}`

/**
 * `muster users remove`: takes a user that the file does not name off every host, after showing where it is. A host
 * that would have no user left refuses the whole run; one that is down is named, and keeps the user.
 */
export async function remove(options: RemoveOptions): Promise<ExitCode> {
  const { context, yes, user } = options
  mustBeAbleToAsk(context, { yes, command: operationOf(options), look: 'users list' })
  const { config } = await openCluster(options)
  const naming = [...config.hosts, ...config.left].filter(({ users }) =>
    users.some((one) => one.user === user),
  )
  if (naming.length > 0) {
    throw new UsageError(
      `The file still names the user ${user}, for ${shortListOf(namesOf(naming))}.`,
      'Remove it from the file first: the next installation would create it again.',
    )
  }
  return withHosts({
    look: installedLook,
    ...options,
    config,
    operation: operationOf(options),
    work: (survey, run) => removeLocked({ ...options, config, survey, run }),
  })
}

async function removeLocked(work: Work): Promise<ExitCode> {
  const { context, config, survey, run, json, yes, user } = work
  if (context.signal.aborted) throw new Interrupted()
  if (survey.reached.length === 0) {
    return refuseHosts({ ...work, failed: lostOutcomes(survey), failures: 'told' })
  }
  const { cluster, directory, left } = config
  const place = { directory, cluster }
  const { state, notes } = await openState(place)
  for (const note of notes) context.stderr.write(`note: ${note}\n`)
  const judged = survey.reached.map((surveyed) => removeFromHost({ cluster, surveyed, state, user }))
  const failed = judged.flatMap((one) => (one instanceof StepError ? [refusalOf(one)] : []))
  if (failed.length > 0) return refuseHosts({ ...work, failed, failures: 'tell' })
  const plans = judged.flatMap((one) => (one instanceof StepError ? [] : [one]))
  const changes = plans.some(({ steps }) => steps.length > 0)
  if (!json) {
    const notes = changes ? [] : [unknownNote(user, survey)]
    showPlan(context, { cluster, notes, plans, left: namesOf(left) })
  }
  if (changes && !(await agreed(context, { yes, question: 'Go on?', run }))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  const exit = await runSteps({ context, json, run, survey, work: plans })
  const proved = provedHosts(run.recorder.record(exit))
  const hosts = [...namesOf(config.hosts), ...namesOf(left)]
  const behind = hosts.filter((name) => !proved.includes(name))
  if (behind.length > 0) await tellBehind(work, behind)
  // Its password is of use as long as a host may take it.
  if (behind.length === 0) {
    await saveState({ ...place, before: state, after: settled(state, [{ user, given: true }]) })
  }
  return exit
}

/** Nobody has the user: it is gone already, or its name is misspelt. */
function unknownNote(user: string, { reached }: Survey<InstalledFacts>): string {
  const others = [...new Set(reached.flatMap(({ host, facts }) => extraUsers(host, facts)))]
  const has = others.length === 0 ? 'nobody' : shortListOf(others, 8)
  return `no host has ${user}; users that the file does not name: ${has}`
}

const refusalOf = (problem: StepError): HostOutcome => ({
  ...{ host: problem.host, result: 'failed', applied: [], seconds: {} },
  failure: failureOf(problem),
})

async function tellBehind(
  { context, config, run, json, user }: Work,
  behind: readonly string[],
): Promise<void> {
  const message = `${shortListOf(behind, 8)} may still have ${user}: run \`muster users remove ${user}\` again for all hosts.`
  const renderer = run.follow(await chooseRenderer({ context, json, hosts: namesOf(config.hosts) }))
  if (json) renderer.emit({ type: 'notice', message })
  else context.stdout.write(`${message}\n`)
}
