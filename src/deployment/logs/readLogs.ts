import type { HostText } from '../../base/hostText.ts'
import { quote } from '../../base/shellWords.ts'
import type { HostConfig } from '../../config/model.ts'
import type { Component } from '../../contracts/component.ts'
import type { Transport } from '../../transport/transport.ts'
import { foreignInstallation } from '../hostIdentity.ts'
import { findAccount, type Installation, pathByPlace } from '../installedAccount.ts'
import { layoutOf } from '../layout.ts'
import { tailAs } from '../serviceAccount.ts'
import { keptLogs } from '../services/implementations.ts'
import { StepError } from '../stepError.ts'
import { changeableFunction, requireTrustedRoot, untrustedFolder } from '../trustedFolder.ts'
import { type LogLine, mergeLines, parseLogs } from './parseLogs.ts'

/** Lines of logs to read from one host. */
type LogsRequest = Installation & {
  readonly components: readonly Component[]
  /** Maximum lines of each component. */
  readonly lines: number
}

/** Maximum bytes of one component's log. */
const maxLogBytes = 1024 * 1024

/**
 * Returns a POSIX sh script that prints the ends of logs, each as one row of base64: from the service manager if it
 * keeps a log, otherwise from the log file, read with the rights of the service user. It changes nothing.
 */
export function logsScript({ cluster, layout, components, lines }: LogsRequest): string {
  const code = `tail -c ${maxLogBytes} | base64 | tr -d '\\n'`
  const parts = components.map((component) => {
    const id = { cluster, component }
    const kept = keptLogs.map(
      ({ path, logs }) => `if [ -f ${quote(path(id))} ]; then
  printf '${logs.format}\\t${component}\\t%s\\n' "$(${logs.print(id, lines)} | ${code})"
`,
    )
    const file = pathByPlace('file', { layout, cluster }, ({ logFile }) => logFile(component))
    return `${kept.join('el')}else
  ${file}
  printf 'file\\t${component}\\t%s\\n' "$(${tailAs('$as', '"$file"', { lines, bytes: maxLogBytes })} | ${code})"
fi`
  })
  return `
${logsHead({ layout })}
${findAccount({ layout, cluster })}
${parts.join('\n')}
exit 0
`
}

/**
 * Returns sh that prints the host's clock and the manifest of the installation; it ends the script at an
 * install-directory that others could replace.
 */
export const logsHead = ({ layout }: Pick<LogsRequest, 'layout'>): string => `root=${quote(layout.root)}
${changeableFunction}
${requireTrustedRoot(`printf 'untrusted\\t%s\\n' "$(printf %s "$found" | base64 | tr -d '\\n')"; exit 0`)}
printf 'clock\\t%s\\n' "$(date +%s)"
printf 'manifest\\t%s\\n' "$(cat ${quote(layout.manifest)} 2>/dev/null | base64 | tr -d '\\n')"`

/** Returns why the logs of a host are not read: nothing is installed there, or another cluster. */
export function installationProblem(
  { cluster, host }: { readonly cluster: string; readonly host: HostConfig },
  manifest: string | undefined,
): StepError | undefined {
  if (manifest !== undefined)
    return foreignInstallation({ cluster, host, facts: { installation: { manifest } } })
  return new StepError({
    host: host.name,
    code: 'not-installed',
    message: `nothing is installed in ${host.installDirectory}`,
    fix: 'Run `muster install` first.',
  })
}

/** Reports output that is not the answer of a logs script. */
export const unexpectedLogs = (host: HostConfig, output: HostText): StepError =>
  new StepError({
    host: host.name,
    code: 'bad-answer',
    message: `the host returned unexpected output instead of its logs: ${output}`,
    fix: 'Check what the startup files of the login shell print there, and that date and base64 (coreutils) are in its PATH.',
  })

/** Reports logs that the login may not read, with the error output of the script. */
export const unreadableLogs = (host: HostConfig, stderr: HostText): StepError =>
  new StepError({
    host: host.name,
    code: 'logs-unreadable',
    message: `the logs cannot be read: ${stderr}`,
    fix: keptLogs.map(({ logs }) => logs.fix).join(' '),
  })

/** Lines to read from each host. */
export type LogsSelection = {
  /** Maximum lines of each host. */
  readonly lines: number
  /** Only lines of the last so many seconds, by the host's own clock. */
  readonly since?: number
}

/** Reads the ends of the logs of one host in one round trip; rejects with a `TransportError` or a `StepError`. */
export async function readLogs(
  transport: Transport,
  options: LogsSelection & { readonly cluster: string; readonly host: HostConfig },
): Promise<readonly LogLine[]> {
  const { cluster, host, lines, since } = options
  const layout = layoutOf(host.installDirectory)
  const components = host.apis.map((api) => api.component)
  const result = await transport.run(logsScript({ cluster, layout, components, lines }))
  const read = parseLogs(host.name, result.stdout.raw(), lines)
  if (read === undefined) throw unexpectedLogs(host, result.stdout)
  if ('untrusted' in read) throw untrustedFolder(host, read.untrusted)
  const { clock, manifest, logs } = read
  const problem = installationProblem({ cluster, host }, manifest)
  if (problem !== undefined) throw problem
  const merged = mergeLines(logs)
  if (merged.length === 0 && String(result.stderr) !== '') throw unreadableLogs(host, result.stderr)
  const oldest = since === undefined ? Number.NEGATIVE_INFINITY : clock - since * 1000
  return merged.filter(({ time }) => (time ?? clock) >= oldest).slice(-lines)
}
