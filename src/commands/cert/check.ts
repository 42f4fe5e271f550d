import { counted } from '../../base/words.ts'
import type { Define } from '../../cli/command.ts'
import type { ExitCode } from '../../cli/exitCodes.ts'
import type { FindingFormat } from '../../cli/formatOption.ts'
import { formatGiven, formatOption } from '../../cli/formatOption.ts'
import type { Component } from '../../contracts/component.ts'
import { checkCertificates, type InspectedHost } from '../../deployment/certificates/checkCertificates.ts'
import { componentGiven, componentOption, runOnFiles, targetOptions } from '../../session/clusterOptions.ts'
import { reportLeftHosts } from '../../session/leftHosts.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { placesOfHosts, reportFindings } from '../../session/reportFindings.ts'
import { withComponent } from '../../session/selectTargets.ts'
import { surveyCertificates } from './surveyCertificates.ts'

export const certCheckCommand: Define = (made, world) =>
  runOnFiles(
    formatOption(componentOption(targetOptions(made))).note(
      'Warnings fail the check; tls-warning-days sets how many days before its end a certificate is reported.',
    ),
    world,
    (options) => certCheck({ ...options, component: componentGiven(made), format: formatGiven(made) }),
  )

/**
 * Checks the certificates of all hosts on disk and as served. Warnings count, since the file sets when they begin; for
 * the exit codes see `reportFindings`.
 */
async function certCheck(
  options: ClusterOptions & { readonly component: Component | undefined; readonly format: FindingFormat },
): Promise<ExitCode> {
  const { context, format } = options
  const opened = await openCluster(options)
  const { loaded } = opened
  const config = withComponent(opened.config, options.component)
  const { hosts, now, state } = await surveyCertificates(context, config)
  await reportLeftHosts({ context, config: opened.config, state })
  return reportFindings({
    context,
    format,
    loaded,
    command: 'muster cert check',
    found: checkCertificates({ hosts, now, at: placesOfHosts(loaded) }),
    codes: /^(certificate|authority)-/,
    unreachable: 'certificate-host-unreachable',
    told: { config, event: 'certificates' },
    closing: ({ good, silenced }) => (good ? summary(config.cluster, hosts, silenced) : undefined),
  })
}

/** Returns one line that says when the first certificate expires. */
function summary(cluster: string, hosts: readonly InspectedHost[], silenced: number): string {
  const databases = hosts.flatMap(({ certificates }) => certificates.database?.served ?? [])
  const facts = [...hosts.flatMap(({ certificates }) => certificates.onDisk ?? []), ...databases].map(
    (one) => one.facts,
  )
  const served = hosts.flatMap(({ certificates }) =>
    certificates.components.flatMap(({ served: one }) => one ?? []),
  )
  const [first] = facts.sort((one, other) => one.daysLeft - other.daysLeft)
  const until =
    first === undefined
      ? ''
      : `; the first expires on ${first.notAfter.slice(0, 10)}, in ${counted(first.daysLeft, 'day')}`
  const seen = databases.length === 0 ? '' : `, ${counted(databases.length, 'database')}`
  const quiet = silenced === 0 ? '' : ` (${silenced} silenced)`
  return `The certificates of ${cluster} are valid: ${counted(hosts.length, 'host')}, ${counted(served.length, 'API')}${seen}${until}${quiet}.`
}
