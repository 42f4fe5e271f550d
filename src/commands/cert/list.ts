import { leafFacts } from '../../certificates/certificateFacts.ts'
import { type Define, flag } from '../../cli/command.ts'
import { type ExitCode, exitOfHosts } from '../../cli/exitCodes.ts'
import { tableLayout } from '../../cli/terminal.ts'
import type { Component } from '../../contracts/component.ts'
import { certificatesJson, certificatesText } from '../../output/deployment/certificates.ts'
import { componentGiven, componentOption, runOnFiles, targetOptions } from '../../session/clusterOptions.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { withComponent } from '../../session/selectTargets.ts'
import { surveyCertificates } from './surveyCertificates.ts'

export const certListCommand: Define = (made, world) =>
  runOnFiles(
    componentOption(targetOptions(made)).option('--json', 'print everything as JSON'),
    world,
    (options) => certList({ ...options, component: componentGiven(made), json: flag(made, 'json') }),
  )

/** Lists the certificate of each host on disk, and the one that each API serves. Changes nothing. */
async function certList(
  options: ClusterOptions & { readonly component: Component | undefined; readonly json: boolean },
): Promise<ExitCode> {
  const { context, json } = options
  const { config: chosen } = await openCluster(options)
  const config = withComponent(chosen, options.component)
  const { state, now, hosts } = await surveyCertificates(context, config)
  const authority = state.authority && leafFacts(state.authority.certificate, now)
  const shown = {
    cluster: config.cluster,
    ...(authority && { authority }),
    hosts: hosts.map(({ certificates }) => certificates),
  }
  context.stdout.write(
    json ? certificatesJson(shown) : certificatesText({ ...shown, ...tableLayout(context) }),
  )
  return exitOfHosts(shown.hosts.map((one) => one.state))
}
