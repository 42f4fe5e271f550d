import { counted } from '../base/words.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import type { FindingFormat } from '../cli/formatOption.ts'
import { printDiagnostics } from '../cli/printDiagnostics.ts'
import { printReport } from '../cli/printReport.ts'
import type { ClusterConfig } from '../config/model.ts'
import { usersOf } from '../config/resolve/resolved.ts'
import { setSource } from '../config/sets.ts'
import { options } from '../config/settings/options.ts'
import { service as fields } from '../config/settings/places.ts'
import type { NotifyEvent } from '../config/settings/webhooks.ts'
import { givenFor } from '../config/shape/draft.ts'
import type { Code } from '../diagnostics/codes.ts'
import type { Diagnostic, Span } from '../diagnostics/diagnostic.ts'
import type { LoadedCluster } from './loadCluster.ts'
import { type Notification, notify } from './notify.ts'
import { withoutSilenced } from './withoutSilenced.ts'

/**
 * Prints the findings of a command that checks hosts, in any format of `validate`. Exit codes: 0 none, or notes only; 4
 * only unreachable hosts; else 1, including warnings, or as `exitOfOthers` says.
 */
export async function reportFindings(options: {
  readonly context: CommandContext
  readonly format: FindingFormat
  readonly loaded: LoadedCluster
  /** As reports name it: `muster cert check`. */
  readonly command: string
  readonly found: readonly Diagnostic[]
  /** Returns the findings as a person reads them; absent: as they are. */
  readonly forText?: (findings: readonly Diagnostic[]) => readonly Diagnostic[]
  /** Prefix of the codes that the command looks for; others were printed when the files were opened. */
  readonly codes: RegExp
  /** The code of a host that could not be reached. */
  readonly unreachable: Code
  /** The last line for a person; undefined where there is none. */
  readonly closing: (is: { readonly good: boolean; readonly silenced: number }) => string | undefined
  /** Exit code for these codes; absent: 1. */
  readonly exitOfOthers?: (codes: readonly string[]) => ExitCode
  /** Webhooks that are told if there are findings, and the event. */
  readonly told: { readonly config: Pick<ClusterConfig, 'cluster' | 'notify'>; readonly event: NotifyEvent }
  /** Additional members of the JSON format. */
  readonly more?: Readonly<Record<string, unknown>>
}): Promise<ExitCode> {
  const { context, format, loaded, command, codes, more } = options
  const { findings: all, silenced } = withoutSilenced(loaded, { findings: options.found })
  const findings = all.filter(({ code }) => codes.test(code) || code === 'too-many-findings')
  const failing = findings.filter(({ severity }) => severity !== 'note')
  const good = failing.length === 0
  if (format === 'text') {
    const diagnostics = options.forText?.(findings) ?? findings
    const shown = { diagnostics, sources: loaded.sources, silenced: silenced.length }
    printDiagnostics(shown, { context, output: context.stdout })
    const closing = options.closing({ good, silenced: silenced.length })
    if (closing !== undefined) context.stdout.write(`${closing}\n`)
  } else {
    const files = loaded.sources.map(({ name }) => name).filter((name) => name !== setSource)
    const report = { findings, silenced, files, command, warningsFail: true as const, ...(more && { more }) }
    await printReport(report, { context, format })
  }
  if (good) return exitCodes.ok
  const unreached = failing.every(({ code }) => code === options.unreachable)
  const exit = unreached
    ? exitCodes.unreachable
    : (options.exitOfOthers?.(failing.map(({ code }) => code)) ?? exitCodes.failed)
  const { config, event } = options.told
  await notify(context, {
    config,
    event: findingsNotification(failing, { ...options, ...config, event, exit }),
  })
  return exit
}

/** Returns the message for webhooks about findings. */
function findingsNotification(
  findings: readonly Diagnostic[],
  of: {
    readonly cluster: string
    readonly command: string
    readonly event: NotifyEvent
    readonly exit: number
  },
): Notification {
  const { cluster, command, event, exit } = of
  const operation = command.replace(/^muster /, '')
  const hosts = findings.flatMap(({ host, severity, message }) =>
    host === undefined ? [] : [{ host, result: severity, message }],
  )
  return {
    event,
    title: `${cluster}: ${operation} has ${counted(findings.length, 'finding')}`,
    text: findings.map(({ message }) => message).join('\n'),
    operation,
    outcome: 'failed',
    exit,
    hosts: [...new Map(hosts.map((one) => [one.host, one])).values()],
  }
}

/** Returns the place of a host in the files; for an undefined host, that of the hosts. */
export function placesOfHosts({ cluster, sources }: LoadedCluster): (host: string | undefined) => Span {
  const spans = new Map(cluster?.hosts.map(({ name, span }) => [name, span]))
  const file = sources[0]?.name ?? ''
  const start = { file, line: 1, column: 1, endLine: 1, endColumn: 1 }
  const top = cluster?.draft.groups.get('hosts')?.span ?? start
  return (host) => (host === undefined ? undefined : spans.get(host)) ?? top
}

/** Returns the place of the master of a service, such as `muster.yaml:4`; that of the service where it names none. */
export function placesOfMasters({ cluster }: LoadedCluster): (service: string) => string {
  return (name) => {
    const service = cluster?.draft.services.get(name)
    const span = service && (givenFor(service.fields, fields.master)?.span ?? service.span)
    return span === undefined ? 'the file' : `${span.file}:${span.line}`
  }
}

/** Place of a host, or of what the file gives as a user's password there; without a password, that of the user's name. */
export function placesOfUsers(loaded: LoadedCluster): (host: string, user?: string) => Span {
  const hosts = placesOfHosts(loaded)
  const known = new Map(loaded.cluster?.hosts.map((host) => [host.name, host]))
  return (name, user) => {
    const host = known.get(name)
    if (host === undefined || user === undefined) return hosts(name)
    const other = usersOf(host).find(({ given }) => given.name === user)?.given
    const admin = host.option(options.adminUser)
    const own = admin.value === user ? host.option(options.adminPass).given : undefined
    const password = own ?? (other?.value === undefined ? undefined : other)
    return (
      password?.span ??
      other?.keySpan ??
      (admin.value === user ? admin.given?.span : undefined) ??
      hosts(name)
    )
  }
}
