import { shortListOf } from '../../base/words.ts'
import { requireConfirmation } from '../../cli/ask.ts'
import type { Define } from '../../cli/command.ts'
import type { ExitCode } from '../../cli/exitCodes.ts'
import { UsageError } from '../../cli/usageError.ts'
import type { InstalledFacts } from '../../deployment/facts/hostFacts.ts'
import { saveState } from '../../deployment/state/openState.ts'
import { afterVerifiedRun } from '../../deployment/state/passwordRotation.ts'
import { StepError } from '../../deployment/stepError.ts'
import { installedFactsOnly, type Survey } from '../../deployment/survey.ts'
import { extraUsers } from '../../deployment/users/decideUsers.ts'
import { removeFromHost } from '../../deployment/users/userCallsOnHost.ts'
import { runOnFiles } from '../../session/clusterOptions.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { changeFlags, changeOptions } from '../../session/runOptions.ts'
import { changes, type Refusal, type RunPlan, refusalFor, runPlan } from '../../session/runPlan.ts'
import { namesOf } from '../../session/selectTargets.ts'
import { openStateToChange, report, type SurveyedSession } from '../../session/session.ts'
import { withHosts } from '../../session/withHosts.ts'
import { userArgument, userGiven } from './namedUsers.ts'

export const usersRemoveCommand: Define = (made, world) =>
  runOnFiles(changeOptions(userArgument(made)), world, async (options) =>
    remove({ ...userGiven(options), ...changeFlags(made) }),
  )

type RemoveOptions = ClusterOptions & {
  readonly user: string
  readonly yes: boolean
  readonly json: boolean
  readonly lockWait: number
}

/**
 * Removes a user that the file does not name from every host, after confirmation. If a host would have no user left,
 * the whole run is refused; an unreachable host is reported and keeps the user.
 */
export async function remove(options: RemoveOptions): Promise<ExitCode> {
  const { context, yes, user } = options
  const operation = `users remove ${user}`
  const { config } = await openCluster(options)
  const naming = [...config.hosts, ...config.excluded].filter(({ users }) =>
    users.some((one) => one.user === user),
  )
  if (naming.length > 0) {
    throw new UsageError(
      `The file still names the user ${user}, for ${shortListOf(namesOf(naming))}.`,
      'Remove it from the file first: the next installation would create it again.',
    )
  }
  requireConfirmation(context, { yes, command: operation, previewCommand: 'users list' })
  return withHosts({
    ...options,
    config,
    operation,
    scope: installedFactsOnly,
    requires: 'one',
    work: async (session) => runPlan(session, await decide(session, user)),
  })
}

async function decide(session: SurveyedSession<InstalledFacts>, user: string): Promise<RunPlan | Refusal> {
  const { context, config, survey } = session
  const { cluster } = config
  const state = await openStateToChange(context, config)
  const decided = survey.reached.map((surveyed) => removeFromHost({ cluster, surveyed, state, user }))
  const problems = decided.filter((one) => one instanceof StepError)
  if (problems.length > 0) return refusalFor(problems)
  const work = decided.flatMap((one) => (one instanceof StepError ? [] : one))
  return {
    work,
    notes: changes({ work }) ? [] : [unknownNote(user, survey)],
    executeAndSave: async (execute) => {
      const { exit, verified } = await execute()
      const behind = namesOf([...config.hosts, ...config.excluded]).filter((name) => !verified.includes(name))
      if (behind.length > 0) {
        report(
          session,
          `${shortListOf(behind, 8)} may still have ${user}: run \`muster users remove ${user}\` again for all hosts.`,
        )
        return exit
      }
      // The password is needed as long as a host may accept it.
      await saveState({ ...config, before: state, after: afterVerifiedRun(state, [{ user, given: true }]) })
      return exit
    },
  }
}

/** Reports that no host has the user, with the names of other users. */
function unknownNote(user: string, { reached }: Survey<InstalledFacts>): string {
  const others = [...new Set(reached.flatMap(({ host, facts }) => extraUsers(host, facts)))]
  const has = others.length === 0 ? 'none' : shortListOf(others, 8)
  return `no host has ${user}; users that the file does not name: ${has}`
}
