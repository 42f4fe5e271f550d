import type { ExitCode } from '../../cli/exitCodes.ts'
import { textWidth } from '../../cli/terminal.ts'
import { checkUsers } from '../../deployment/users/checkUsers.ts'
import { loginsOf, proofText } from '../../output/deployment/userProof.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { placesOfUsers, reportFindings } from '../reportFindings.ts'
import { readUserPasswords } from '../resolveSecrets.ts'
import type { ValidateFormat } from '../validateFormats.ts'
import { lookAtUsers } from './lookAtUsers.ts'
import { mustNameUsers } from './namedUsers.ts'

/**
 * `muster users verify`: logs in everywhere with what is known, and finds hosts that miss a user, have another
 * password or a user more, and components that do not follow. For the exit codes see `reportFindings`.
 */
export async function verifyUsers(
  asked: ClusterOptions & { readonly format: ValidateFormat },
): Promise<ExitCode> {
  const { context, format } = asked
  const opened = await openCluster(asked)
  const { config, loaded } = opened
  const { cluster } = config
  mustNameUsers(config)
  const given = await readUserPasswords(context, opened)
  const hosts = await lookAtUsers(context, config, given)
  return reportFindings({
    context,
    format,
    loaded,
    command: 'muster users verify',
    found: checkUsers(hosts, placesOfUsers(loaded)),
    codes: /^user-/,
    unreachable: 'user-host-unreachable',
    closing: (is) => proofText({ ...is, cluster, hosts, width: textWidth(context.stdout) }),
    more: { cluster, logins: loginsOf(hosts) },
  })
}
