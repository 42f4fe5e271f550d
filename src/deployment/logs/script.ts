import type { Component } from '../../contracts/component.ts'
import { quote } from '../../transport/shellWords.ts'
import { type Layout, unitDirectory, unitName } from '../layout.ts'

/** Which lines of which logs are wanted of one host. */
export type LogsRequest = {
  readonly cluster: string
  readonly layout: Layout
  readonly components: readonly Component[]
  /** The last so many of each component. */
  readonly lines: number
  /** Only those of the last so many seconds. */
  readonly since?: number
}

/** Bytes of one component's log that travel at most. */
const most = 1024 * 1024

/**
 * One POSIX sh script that prints the ends of logs, each as one row of base64: the journal where the component
 * is a unit, its log file where it is a process. It changes nothing.
 */
export function logsScript({ cluster, layout, components, lines, since }: LogsRequest): string {
  const code = `tail -c ${most} | base64 | tr -d '\\n'`
  const journal = `journalctl --no-pager -o short-unix -n ${lines}${since === undefined ? '' : ` --since=-${since}s`}`
  const parts = components.map((component) => {
    const unit = unitName(cluster, component)
    const file = quote(layout.logFile(component))
    return `if [ -f ${quote(`${unitDirectory}/${unit}`)} ]; then
  printf 'journal\\t${component}\\t%s\\n' "$(${journal} -u ${quote(unit)} | ${code})"
elif [ -f ${file} ]; then
  printf 'file\\t${component}\\t%s\\n' "$(tail -n ${lines} ${file} | ${code})"
fi`
  })
  return `
printf 'clock\\t%s\\n' "$(date +%s)"
printf 'manifest\\t%s\\n' "$(cat ${quote(layout.manifest)} 2>/dev/null | base64 | tr -d '\\n')"
${parts.join('\n')}
exit 0
`
}
