import { judgeUsers } from '../../deployment/users/judgeUsers.ts'
import { userFindingsJson, userFindingsText } from '../../output/deployment/userFindings.ts'
import { type ExitCode, exitCodes } from '../exitCodes.ts'
import { type ClusterOptions, openCluster } from '../openCluster.ts'
import { colourOf, tableWidthOf } from '../terminal.ts'
import { lookAtUsers } from './lookAtUsers.ts'
import { mustNameUsers } from './mustNameUsers.ts'

/**
 * `muster users verify`: logs in everywhere with what is known, and finds hosts that miss a user, have another
 * password or a user more. 0: as the file says; 1: findings; 4: nothing but hosts that could not be reached.
 */
export async function verifyUsers(options: ClusterOptions & { readonly json: boolean }): Promise<ExitCode> {
  const { context, json } = options
  const config = await openCluster(options)
  if (typeof config === 'number') return config
  mustNameUsers(config)
  const hosts = await lookAtUsers(context, config, { logins: true })
  const findings = judgeUsers(hosts)
  const { stdout } = context
  const shown = { cluster: config.cluster, hosts, findings }
  const colour = colourOf(context, stdout)
  stdout.write(
    json ? userFindingsJson(shown) : userFindingsText({ ...shown, colour, width: tableWidthOf(context) }),
  )
  if (findings.length === 0) return exitCodes.ok
  const unreachable = findings.every(({ code }) => code === 'host-unreachable')
  return unreachable ? exitCodes.unreachable : exitCodes.failed
}
