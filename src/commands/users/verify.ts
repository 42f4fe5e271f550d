import type { Define } from '../../cli/command.ts'
import type { ExitCode } from '../../cli/exitCodes.ts'
import type { FindingFormat } from '../../cli/formatOption.ts'
import { formatGiven, formatOption } from '../../cli/formatOption.ts'
import { textWidth } from '../../cli/terminal.ts'
import { emptyState } from '../../deployment/state/clusterState.ts'
import { readState } from '../../deployment/state/openState.ts'
import { checkUsers } from '../../deployment/users/checkUsers.ts'
import { loginSummary, loginsOf } from '../../output/deployment/usersText.ts'
import { runOnFiles, targetOptions } from '../../session/clusterOptions.ts'
import { reportLeftHosts } from '../../session/leftHosts.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { placesOfUsers, reportFindings } from '../../session/reportFindings.ts'
import { readUserPasswords } from '../../session/resolveSecrets.ts'
import { requireUsers } from './namedUsers.ts'
import { surveyUsers } from './surveyUsers.ts'

export const usersVerifyCommand: Define = (made, world) =>
  runOnFiles(
    formatOption(targetOptions(made)).note(
      'An unreachable host is reported; the others are verified all the same.',
    ),
    world,
    (options) => verifyUsers({ ...options, format: formatGiven(made) }),
  )

/**
 * Logs in to every component with the known passwords, and finds hosts with missing or extra users or other passwords,
 * and components that have not reloaded. For the exit codes see `reportFindings`.
 */
async function verifyUsers(asked: ClusterOptions & { readonly format: FindingFormat }): Promise<ExitCode> {
  const { context, format } = asked
  const opened = await openCluster(asked)
  const { config, loaded } = opened
  const { cluster } = config
  requireUsers(config)
  const given = await readUserPasswords(context, opened)
  const hosts = await surveyUsers(context, config, given)
  const { state = emptyState } = (await readState(config)) ?? {}
  await reportLeftHosts({ context, config, state })
  return reportFindings({
    context,
    format,
    loaded,
    command: 'muster users verify',
    found: checkUsers(hosts, placesOfUsers(loaded)),
    codes: /^user-/,
    unreachable: 'user-host-unreachable',
    told: { config, event: 'users' },
    closing: (is) => loginSummary({ ...is, cluster, hosts, width: textWidth(context.stdout) }),
    more: { cluster, logins: loginsOf(hosts) },
  })
}
