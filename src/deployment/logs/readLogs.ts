import { quote } from '../../base/shellWords.ts'
import type { HostConfig } from '../../config/model.ts'
import type { Component } from '../../contracts/component.ts'
import type { Transport } from '../../transport/transport.ts'
import { foreignInstallation } from '../hostIdentity.ts'
import { findAccount, pathByPlace } from '../installedAccount.ts'
import { type Layout, layoutOf } from '../layout.ts'
import { tailAs } from '../serviceAccount.ts'
import { keptLogs } from '../services/implementations.ts'
import { StepError } from '../stepError.ts'
import { changeableFunction, requireTrustedRoot, untrustedFolder } from '../trustedFolder.ts'
import { type LogLine, mergeLines, parseLogs } from './parseLogs.ts'

/** Lines of logs to read from one host. */
type LogsRequest = {
  readonly cluster: string
  readonly layout: Layout
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
root=${quote(layout.root)}
${changeableFunction}
${requireTrustedRoot(`printf 'untrusted\\t%s\\n' "$(printf %s "$found" | base64 | tr -d '\\n')"; exit 0`)}
printf 'clock\\t%s\\n' "$(date +%s)"
printf 'manifest\\t%s\\n' "$(cat ${quote(layout.manifest)} 2>/dev/null | base64 | tr -d '\\n')"
${findAccount({ layout, cluster })}
${parts.join('\n')}
exit 0
`
}

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
  const unread = (code: string, message: string, fix: string): StepError =>
    new StepError({ host: host.name, code, message, fix })
  const read = parseLogs(host.name, result.stdout.raw(), lines)
  if (read !== undefined && 'untrusted' in read) throw untrustedFolder(host, read.untrusted)
  if (read === undefined) {
    throw unread(
      'bad-answer',
      `the host returned unexpected output instead of its logs: ${result.stdout}`,
      'Check what the startup files of the login shell print there, and that date and base64 (coreutils) are in its PATH.',
    )
  }
  const { clock, manifest, logs } = read
  if (manifest === undefined) {
    throw unread(
      'not-installed',
      `nothing is installed in ${host.installDirectory}`,
      'Run `muster install` first.',
    )
  }
  const other = foreignInstallation({ cluster, host, facts: { installation: { manifest } } })
  if (other !== undefined) throw other
  const merged = mergeLines(logs)
  if (merged.length === 0 && String(result.stderr) !== '') {
    throw unread(
      'logs-unreadable',
      `the logs cannot be read: ${result.stderr}`,
      keptLogs.map(({ logs }) => logs.fix).join(' '),
    )
  }
  const oldest = since === undefined ? Number.NEGATIVE_INFINITY : clock - since * 1000
  return merged.filter(({ time }) => (time ?? clock) >= oldest).slice(-lines)
}
