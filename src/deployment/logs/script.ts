import { quote } from '../../base/shellWords.ts'
import type { Component } from '../../contracts/component.ts'
import { findAccount, pathByPlace } from '../installedAccount.ts'
import type { Layout } from '../layout.ts'
import { tailAs } from '../serviceFiles.ts'
import { keptLogs } from '../services/implementations.ts'
import { changeableFunction, trustedRoot } from '../trustedFolder.ts'

/** Which lines of which logs are wanted of one host. */
export type LogsRequest = {
  readonly cluster: string
  readonly layout: Layout
  readonly components: readonly Component[]
  /** The last so many of each component. */
  readonly lines: number
}

/** Bytes of one component's log that travel at most. */
const most = 1024 * 1024

/**
 * One POSIX sh script that prints the ends of logs, each as one row of base64: what its service manager keeps of a
 * component, else its log file, read with the rights of the service user. It changes nothing.
 */
export function logsScript({ cluster, layout, components, lines }: LogsRequest): string {
  const code = `tail -c ${most} | base64 | tr -d '\\n'`
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
  printf 'file\\t${component}\\t%s\\n' "$(${tailAs('$as', '"$file"', { lines, bytes: most })} | ${code})"
fi`
  })
  return `
root=${quote(layout.root)}
${changeableFunction}
${trustedRoot(`printf 'untrusted\\t%s\\n' "$(printf %s "$found" | base64 | tr -d '\\n')"; exit 0`)}
printf 'clock\\t%s\\n' "$(date +%s)"
printf 'manifest\\t%s\\n' "$(cat ${quote(layout.manifest)} 2>/dev/null | base64 | tr -d '\\n')"
${findAccount({ layout, cluster })}
${parts.join('\n')}
exit 0
`
}
