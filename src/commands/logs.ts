import { type Define, flag } from '../cli/command.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { parseCountOption, parseDurationOption } from '../cli/optionValues.ts'
import { colourOf } from '../cli/terminal.ts'
import type { Component } from '../contracts/component.ts'
import { onEachHost } from '../deployment/eachHost.ts'
import { mergeLines } from '../deployment/logs/parseLogs.ts'
import { readLogs } from '../deployment/logs/readLogs.ts'
import { logsJson, logsText } from '../output/deployment/logs.ts'
import { componentGiven, componentOption, runOnFiles, targetOptions } from '../session/clusterOptions.ts'
import { installedHostConnector } from '../session/connectInstalledHost.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { exitOfUnreachable, reportUnreachable } from '../session/outcomes.ts'
import { withComponent } from '../session/selectTargets.ts'

export const logsCommand: Define = (made, world) =>
  runOnFiles(
    componentOption(targetOptions(made))
      .option('--since <time>', 'only lines newer than this, such as 10m, 1h or 2d')
      .option('--lines <number>', 'number of lines per host', '100')
      .option('--json', 'print the original JSON lines'),
    world,
    (options) => {
      const { since, lines } = made.opts<{ since?: string; lines: string }>()
      return logs({ ...options, component: componentGiven(made), since, lines, json: flag(made, 'json') })
    },
  )

/** Lines of one host at most: what a command may hold of a thousand hosts. */
const maxLines = 10_000

/**
 * Merges the recent log lines of all components and hosts by time. Unreachable hosts are reported on standard error.
 */
export async function logs(
  options: ClusterOptions & {
    readonly component: Component | undefined
    readonly since: string | undefined
    readonly lines: string
    readonly json: boolean
  },
): Promise<ExitCode> {
  const { context, component, json } = options
  const since = options.since === undefined ? undefined : parseDurationOption(options.since, 'since')
  const lines = parseCountOption(options.lines, { option: 'lines', max: maxLines })
  const { config: opened } = await openCluster(options)
  const { cluster, hosts } = withComponent(opened, component)
  const wanted = { cluster, lines, ...(since && { since }) }
  const results = await onEachHost({
    hosts,
    connect: await installedHostConnector(context, opened),
    work: (transport, host) => readLogs(transport, { ...wanted, host }),
  })
  if (context.signal.aborted) throw new Interrupted()
  const merged = mergeLines(results.flatMap((one) => ('result' in one ? [one.result] : [])))
  if (json) context.stdout.write(logsJson(merged))
  else context.stdout.write(logsText(merged, colourOf(context, context.stdout)))
  const unreachable = results.filter((one) => 'failure' in one)
  reportUnreachable(context, unreachable)
  return exitOfUnreachable(unreachable)
}
