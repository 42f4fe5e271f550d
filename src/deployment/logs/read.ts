import type { HostConfig } from '../../config/model.ts'
import type { Transport } from '../../transport/transport.ts'
import { layoutOf } from '../layout.ts'
import { otherInstallation } from '../otherInstallation.ts'
import { keptLogs } from '../services/implementations.ts'
import { StepError } from '../stepError.ts'
import { untrustedFolder } from '../trustedFolder.ts'
import { type LogLine, mergeLines } from './line.ts'
import { parseLogs } from './parse.ts'
import { logsScript } from './script.ts'

/** Which lines are wanted of each host. */
export type LogsWanted = {
  /** The last so many of each host. */
  readonly lines: number
  /** Only those of the last so many seconds, by the host's own clock. */
  readonly since?: number
}

/** The ends of the logs of one host in one round trip; rejects with a `TransportError` or a `StepError`. */
export async function readLogs(
  transport: Transport,
  options: LogsWanted & { readonly cluster: string; readonly host: HostConfig },
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
  const other = otherInstallation({ cluster, host, facts: { installation: { manifest } } })
  if (other !== undefined) throw other
  const merged = mergeLines(logs)
  if (merged.length === 0 && String(result.stderr) !== '') {
    throw unread(
      'logs-unreadable',
      `its logs cannot be read: ${result.stderr}`,
      keptLogs.map(({ logs }) => logs.fix).join(' '),
    )
  }
  const oldest = since === undefined ? Number.NEGATIVE_INFINITY : clock - since * 1000
  return merged.filter(({ time }) => (time ?? clock) >= oldest).slice(-lines)
}
