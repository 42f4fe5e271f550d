import { jsonText } from '../base/json.ts'
import { type Define, flag } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { colourOf, tableLayout, writeDataTo } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { readRuns } from '../deployment/runs/runsFile.ts'
import { verifyChains } from '../deployment/verifyAuditChains.ts'
import { readAuditLogs } from '../deployment/watch/readAuditLogs.ts'
import { auditChainsJson, auditChainsText } from '../output/deployment/auditChains.ts'
import { deedsText } from '../output/deployment/auditText.ts'
import { runsJson, runsText, runText } from '../output/deployment/runs.ts'
import { runOnFiles, targetOptions } from '../session/clusterOptions.ts'
import { onEachInstallation } from '../session/connectInstalledHost.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { exitOfUnreachable, reportUnreachable } from '../session/outcomes.ts'
import { auditRuns, joinRuns } from '../web/auditRuns.ts'

export const auditCommand: Define = (made, world) =>
  runOnFiles(
    targetOptions(made)
      .option('--verify', 'verify on every host that no audit log line was changed or removed')
      .option('--json', 'print the records as JSON')
      .note(
        'A FILE that looks like a run ID, such as 20260102T03 or `last`, shows the latest run that matches.',
      ),
    world,
    (options) => {
      const json = flag(made, 'json')
      if (flag(made, 'verify')) return verifyAudit({ ...options, json })
      const [first, ...rest] = options.files
      const id = first !== undefined && isRunId(first) ? first : undefined
      return audit({ ...options, files: id === undefined ? options.files : rest, id, json })
    },
  )

/** Returns true for a run ID, its beginning (from the day on) or `last`. */
export const isRunId = (word: string): boolean =>
  word === 'last' || /^\d{8}T(\d{0,6}|\d{6}Z(-[\da-f]*)?)$/.test(word)

/** Reads what people did through the APIs of all hosts: the same on several hosts at once is one entry. */
async function callsOnHosts(options: Pick<Parameters<typeof onEachInstallation>[0], 'context' | 'config'>) {
  const results = await onEachInstallation({
    ...options,
    work: async (transport, at) => auditRuns(await readAuditLogs(transport, at)),
  })
  const calls = joinRuns(results.flatMap((one) => ('result' in one ? one.result : [])))
  return {
    // Runs of muster write users, and stand in the list of runs.
    calls: calls.filter(({ what }) => what.split(' ', 1)[0] !== 'putUsers'),
    unreachable: results.filter((one) => 'failure' in one),
  }
}

/**
 * Lists the runs of a cluster that this state directory knows and what people did through the APIs of its hosts, or shows
 * one run. Changes nothing.
 */
export async function audit(
  options: ClusterOptions & { readonly id: string | undefined; readonly json: boolean },
): Promise<ExitCode> {
  const { context, id, json } = options
  const { config } = await openCluster(options)
  const { cluster, directory } = config
  const runs = await readRuns({ directory, cluster })
  const colour = colourOf(context, context.stdout)
  if (id === undefined) {
    const { calls, unreachable } = await callsOnHosts({ context, config })
    const none = `No run of ${cluster} is recorded here.\n`
    const text = runs.length === 0 ? none : runsText(runs, tableLayout(context))
    const deeds = deedsText(calls)
    if (json) context.stdout.write(runsJson(cluster, runs, calls))
    else writeDataTo(context.stdout, `${text}${deeds === '' ? '' : `\n${deeds}`}`)
    reportUnreachable(context, unreachable)
    return exitOfUnreachable(unreachable)
  }
  const run = id === 'last' ? runs.at(-1) : runs.findLast((one) => one.id.startsWith(id))
  if (run === undefined) {
    throw new UsageError(`No run of ${cluster} matches ${id}.`, 'List the recorded runs with `muster audit`.')
  }
  if (json) context.stdout.write(jsonText(run))
  else writeDataTo(context.stdout, runText(run, colour))
  return exitCodes.ok
}

/** Verifies the chains of the audit logs on every reachable host. Changes nothing. */
export async function verifyAudit(options: ClusterOptions & { readonly json: boolean }): Promise<ExitCode> {
  const { context, json } = options
  const { config } = await openCluster(options)
  const results = await onEachInstallation({
    context,
    config,
    work: (transport, at) => verifyChains(transport, at),
  })
  const hosts = results.flatMap((one) =>
    'result' in one ? [{ host: one.host.name, chains: one.result }] : [],
  )
  const colour = colourOf(context, context.stdout)
  context.stdout.write(json ? auditChainsJson(config.cluster, hosts) : auditChainsText(hosts, colour))
  const unreachable = results.filter((one) => 'failure' in one)
  reportUnreachable(context, unreachable)
  const changed = hosts.some(({ chains }) => chains.some(({ fault }) => fault !== null))
  return changed ? exitCodes.failed : exitOfUnreachable(unreachable)
}
