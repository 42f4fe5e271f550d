import { usersJson, usersText } from '../../output/deployment/users.ts'
import type { ExitCode } from '../exitCodes.ts'
import { exitOfHosts } from '../exitOfHosts.ts'
import { type ClusterOptions, openCluster } from '../openCluster.ts'
import { tableLayout } from '../terminal.ts'
import { lookAtUsers } from './lookAtUsers.ts'

/** `muster users list`: who can log in to which host and component, and where hosts differ. Changes nothing. */
export async function listUsers(options: ClusterOptions & { readonly json: boolean }): Promise<ExitCode> {
  const { context, json } = options
  const config = await openCluster(options)
  if (typeof config === 'number') return config
  const hosts = await lookAtUsers(context, config)
  const { stdout } = context
  stdout.write(json ? usersJson(config.cluster, hosts) : usersText({ hosts, ...tableLayout(context) }))
  return exitOfHosts(hosts.map(({ state }) => state))
}
