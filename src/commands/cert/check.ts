import { setSource } from '../../config/sets.ts'
import type { Component } from '../../contracts/component.ts'
import { judgeCertificates, type LookedAt } from '../../deployment/certificates/judgeCertificates.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { counted } from '../../diagnostics/words.ts'
import { type ExitCode, exitCodes } from '../exitCodes.ts'
import type { LoadedCluster } from '../loadCluster.ts'
import { type ClusterOptions, openLoaded } from '../openCluster.ts'
import { printDiagnostics } from '../printDiagnostics.ts'
import { printReport } from '../printReport.ts'
import { withComponent } from '../selectTargets.ts'
import type { ValidateFormat } from '../validateFormats.ts'
import { withoutSilenced } from '../withoutSilenced.ts'
import { lookAtCertificates } from './lookAtCertificates.ts'

/** Codes of what is found here, as they begin; what else the files have was told when they were opened. */
const ours = /^(certificate|authority)-/

/**
 * `muster cert check`: judges the certificates of all hosts as they lie there and as they are served. 0: nothing
 * found; 1: findings, warnings too, since the file says when it wants to be warned; 4: nothing but hosts that
 * could not be reached.
 */
export async function certCheck(
  options: ClusterOptions & { readonly component: Component | undefined; readonly format: ValidateFormat },
): Promise<ExitCode> {
  const { context, format } = options
  const opened = await openLoaded(options)
  if (typeof opened === 'number') return opened
  const { loaded } = opened
  const config = withComponent(opened.config, options.component)
  const { hosts, now } = await lookAtCertificates(context, config)
  const judged = judgeCertificates({ hosts, now, at: placesOf(loaded) })
  const { findings: all, silenced } = withoutSilenced(loaded, { findings: judged })
  const findings = all.filter(({ code }) => ours.test(code) || code === 'too-many-findings')
  if (format === 'text') {
    const shown = { diagnostics: findings, sources: loaded.sources, silenced: silenced.length }
    printDiagnostics(shown, { context, output: context.stdout })
    if (findings.length === 0) context.stdout.write(summary(config.cluster, hosts, silenced.length))
  } else {
    const files = loaded.sources.map(({ name }) => name).filter((name) => name !== setSource)
    await printReport({ findings, silenced, files }, { context, format })
  }
  return exitOf(findings)
}

function placesOf({ cluster, sources }: LoadedCluster): (host: string | undefined) => Span {
  const spans = new Map(cluster?.hosts.map(({ name, span }) => [name, span]))
  const file = sources[0]?.name ?? ''
  const top = cluster?.draft.groups.get('hosts')?.span ?? {
    file,
    line: 1,
    column: 1,
    endLine: 1,
    endColumn: 1,
  }
  return (host) => (host === undefined ? undefined : spans.get(host)) ?? top
}

function exitOf(findings: readonly Diagnostic[]): ExitCode {
  if (findings.length === 0) return exitCodes.ok
  const unreachable = findings.every(({ code }) => code === 'certificate-host-unreachable')
  return unreachable ? exitCodes.unreachable : exitCodes.failed
}

/** What is good, in one line, and when the first of them ends. */
function summary(cluster: string, hosts: readonly LookedAt[], silenced: number): string {
  const facts = hosts.flatMap(({ certificates }) => certificates.onDisk?.facts ?? [])
  const served = hosts.flatMap(({ certificates }) =>
    certificates.components.flatMap(({ served: one }) => one ?? []),
  )
  const [first] = [...facts].sort((one, other) => one.daysLeft - other.daysLeft)
  const until =
    first === undefined
      ? ''
      : `; the first ends on ${first.notAfter.slice(0, 10)}, in ${counted(first.daysLeft, 'day')}`
  const quiet = silenced === 0 ? '' : ` (${silenced} silenced)`
  return `The certificates of ${cluster} are good: ${counted(hosts.length, 'host')}, ${counted(served.length, 'API')}${until}${quiet}.\n`
}
