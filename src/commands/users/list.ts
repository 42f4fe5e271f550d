import { type Define, flag } from '../../cli/command.ts'
import { type ExitCode, exitOfHosts } from '../../cli/exitCodes.ts'
import { tableLayout } from '../../cli/terminal.ts'
import { usersJson, usersText } from '../../output/deployment/usersText.ts'
import { runOnFiles, targetOptions } from '../../session/clusterOptions.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { surveyUsers } from './surveyUsers.ts'

export const usersListCommand: Define = (made, world) =>
  runOnFiles(targetOptions(made).option('--json', 'print everything as JSON'), world, (options) =>
    listUsers({ ...options, json: flag(made, 'json') }),
  )

/** Lists the users by host and component, and where hosts differ. Changes nothing. */
export async function listUsers(options: ClusterOptions & { readonly json: boolean }): Promise<ExitCode> {
  const { context, json } = options
  const { config } = await openCluster(options)
  const hosts = await surveyUsers(context, config)
  const { stdout } = context
  stdout.write(json ? usersJson(config.cluster, hosts) : usersText({ hosts, ...tableLayout(context) }))
  return exitOfHosts(hosts.map(({ state }) => state))
}
