import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { colourOf } from '../cli/terminal.ts'
import { verifyChains } from '../deployment/audit/verifyChain.ts'
import { onEachHost } from '../deployment/eachHost.ts'
import { readInstalledSet } from '../deployment/installedSet.ts'
import { auditChainsJson, auditChainsText } from '../output/deployment/auditChains.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { ownHosts } from '../session/ownHosts.ts'
import { exitOfLooking, tellLost } from '../session/tellLost.ts'

/** `muster audit --verify`: follows the chains of the audit logs of every host that can be reached. Changes nothing. */
export async function verifyAudit(options: ClusterOptions & { readonly json: boolean }): Promise<ExitCode> {
  const { context, json } = options
  const { config } = await openCluster(options)
  const results = await onEachHost({
    hosts: config.hosts,
    connect: await ownHosts(context, config),
    work: async (transport, host) => {
      const set = await readInstalledSet(transport, { cluster: config.cluster, host })
      return verifyChains(transport, { host, set })
    },
  })
  if (context.signal.aborted) throw new Interrupted()
  const hosts = results.flatMap((one) =>
    'result' in one ? [{ host: one.host.name, chains: one.result }] : [],
  )
  const colour = colourOf(context, context.stdout)
  context.stdout.write(json ? auditChainsJson(config.cluster, hosts) : auditChainsText(hosts, colour))
  const lost = results.filter((one) => 'failure' in one)
  tellLost(context, lost)
  const changed = hosts.some(({ chains }) => chains.some(({ fault }) => fault !== null))
  return changed ? exitCodes.failed : exitOfLooking(lost)
}
