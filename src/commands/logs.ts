import { Option } from 'commander'
import { shortListOf } from '../base/words.ts'
import { type Define, flag } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import type { ExitCode } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { parseCountOption, parseDurationOption } from '../cli/optionValues.ts'
import { colourOf, writeDataTo } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { type LogLevel, logLevels } from '../contracts/choices.ts'
import type { Component } from '../contracts/component.ts'
import { onEachHost } from '../deployment/eachHost.ts'
import { followLogs } from '../deployment/logs/followLogs.ts'
import { type LogFilter, matchesFilter } from '../deployment/logs/logFilter.ts'
import { type LogLine, mergeLines } from '../deployment/logs/parseLogs.ts'
import { readLogs } from '../deployment/logs/readLogs.ts'
import type { UnreachableHost } from '../deployment/survey.ts'
import { logsJson, logsText } from '../output/deployment/logs.ts'
import {
  componentGiven,
  componentOption,
  runOnFilesOrHosts,
  targetOptions,
} from '../session/clusterOptions.ts'
import { installedHostConnector } from '../session/connectInstalledHost.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { exitOfUnreachable, reportUnreachable } from '../session/outcomes.ts'
import { namesOf, type SelectedCluster, withComponent } from '../session/selectTargets.ts'

export const logsCommand: Define = (made, world) =>
  runOnFilesOrHosts(
    componentOption(targetOptions(made))
      .option('-f, --follow', 'go on with new lines of all hosts until Ctrl-C')
      .option('--since <time>', 'only lines newer than this, such as 10m, 1h or 2d')
      .option('--lines <number>', 'number of lines per host (default: 100, with --follow 10)')
      .addOption(
        new Option('--level <level>', 'only this level and worse; lines without a level stay').choices(
          logLevels,
        ),
      )
      .option('--grep <text>', 'only lines that contain this text, in upper or lower case')
      .option('--json', 'print the original JSON lines'),
    world,
    (options) => {
      const { since, lines, level, grep } = made.opts<{
        since?: string
        lines?: string
        level?: LogLevel
        grep?: string
      }>()
      const [follow, json] = [flag(made, 'follow'), flag(made, 'json')]
      return logs({ ...options, component: componentGiven(made), follow, since, lines, level, grep, json })
    },
  )

/** Lines of one host at most: what a command may hold of a thousand hosts. */
const maxLines = 10_000

/** Characters of --grep: each line is searched for it. */
const maxGrep = 200

type LogsOptions = ClusterOptions & {
  readonly component: Component | undefined
  readonly follow: boolean
  readonly since: string | undefined
  readonly lines: string | undefined
  readonly level: LogLevel | undefined
  readonly grep: string | undefined
  readonly json: boolean
}

/**
 * Merges the recent log lines of all components and hosts by time, or follows them. Unreachable hosts are reported on
 * standard error.
 */
export async function logs(options: LogsOptions): Promise<ExitCode> {
  const { context, component, follow } = options
  const since = options.since === undefined ? undefined : parseDurationOption(options.since, 'since')
  const count = options.lines ?? (follow ? '10' : '100')
  const lines = parseCountOption(count, { option: 'lines', max: maxLines })
  const filter = filterOf(options)
  const { config: opened } = await openCluster(options)
  const config = withComponent(opened, component)
  const request = { ...options, config, opened, filter, selection: { lines, ...(since && { since }) } }
  const unreachable = await (follow ? followAll(request) : printRecent(request))
  // Ctrl-C is how following ends: it does not hide that a host was left out.
  if (context.signal.aborted && unreachable.length === 0) throw new Interrupted()
  return exitOfUnreachable(unreachable)
}

function filterOf({ level, grep }: LogsOptions): LogFilter | undefined {
  if (grep === '')
    throw new UsageError('--grep needs a text.', "Give it the text to look for: --grep 'timed out'")
  if (grep !== undefined && grep.length > maxGrep) {
    throw new UsageError(`--grep takes at most ${maxGrep} characters.`, 'Look for a shorter text.')
  }
  if (level === undefined && grep === undefined) return undefined
  return { ...(level && { level }), ...(grep && { text: grep }) }
}

type LogsRequest = Pick<LogsOptions, 'context' | 'json'> & {
  readonly config: SelectedCluster
  /** With all components, as in the state directory. */
  readonly opened: SelectedCluster
  readonly filter: LogFilter | undefined
  readonly selection: { readonly lines: number; readonly since?: number }
}

async function printRecent(request: LogsRequest): Promise<readonly UnreachableHost[]> {
  const { context, config, opened, filter, selection } = request
  const { cluster, hosts } = config
  // What is filtered out does not count.
  const wanted = { ...selection, cluster, ...(filter && { lines: maxLines }) }
  const results = await onEachHost({
    hosts,
    forks: context.forks,
    connect: await installedHostConnector(context, opened),
    work: async (transport, host) => {
      const read = await readLogs(transport, { ...wanted, host })
      return read.filter((line) => matchesFilter(line, filter)).slice(-selection.lines)
    },
  })
  if (context.signal.aborted) throw new Interrupted()
  print(request, mergeLines(results.flatMap((one) => ('result' in one ? [one.result] : []))))
  const unreachable = results.filter((one) => 'failure' in one)
  reportUnreachable(context, unreachable)
  return unreachable
}

/** Prints the lines of all hosts as they arrive until Ctrl-C, or until the last host is lost. */
async function followAll(request: LogsRequest): Promise<readonly UnreachableHost[]> {
  const { context, config, opened, filter, selection } = request
  const connect = await installedHostConnector(context, opened)
  const followed = new Set(namesOf(config.hosts))
  const follow = async (host: SelectedCluster['hosts'][number]): Promise<readonly UnreachableHost[]> => {
    const results = await onEachHost({
      hosts: [host],
      forks: 1,
      connect,
      work: (transport) =>
        followLogs(transport, {
          ...selection,
          cluster: config.cluster,
          host,
          signal: context.signal,
          onLines: (lines) =>
            print(
              request,
              lines.filter((line) => matchesFilter(line, filter)),
            ),
        }),
    })
    const lost = context.signal.aborted ? [] : results.filter((one) => 'failure' in one)
    followed.delete(host.name)
    reportUnreachable(context, lost)
    if (lost.length > 0 && followed.size > 0) reportFollowed(context, [...followed])
    return lost
  }
  return (await Promise.all(config.hosts.map(follow))).flat()
}

function reportFollowed({ stderr }: Pick<CommandContext, 'stderr'>, hosts: readonly string[]): void {
  stderr.write(`note: Still following ${shortListOf(hosts, 8)}.\n`)
}

function print({ context, config, json }: LogsRequest, lines: readonly LogLine[]): void {
  if (lines.length === 0) return
  if (json) context.stdout.write(logsJson(lines))
  else
    writeDataTo(
      context.stdout,
      logsText(lines, { colour: colourOf(context, context.stdout), hosts: config.hosts }),
    )
}
