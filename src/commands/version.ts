import { resolve } from 'node:path'
import { jsonText } from '../base/json.ts'
import type { CliCommand } from '../cli/cliCommand.ts'
import { type Define, flag } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { fileExists } from '../cli/readConfigFiles.ts'
import { tableLayout } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { closeAll, installedFactsOnly, type UnreachableHost } from '../deployment/survey.ts'
import { type HostVersion, versionsText } from '../output/deployment/versionsText.ts'
import { runOnFiles, targetOptions } from '../session/clusterOptions.ts'
import { prepareConnections } from '../session/connectHost.ts'
import { defaultFile } from '../session/loadCluster.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { exitOfUnreachable, reportUnreachable } from '../session/outcomes.ts'
import { inOrderOf, surveyReadOnly, withShortTimeout } from '../session/surveyReadOnly.ts'
import { verifyFile } from './version/verifyFile.ts'

export const versionCommand: Define = (made, world) =>
  runOnFiles(
    targetOptions(made)
      .option('--client', 'show the version of muster alone')
      .option('--verify <file>', 'compare a downloaded file of muster with the SHA256SUMS beside it')
      .option('--checksums <file>', 'with --verify: compare with this list')
      .option('--json', 'print the versions as JSON'),
    world,
    (options) => {
      const { verify, checksums } = made.opts<{ verify?: string; checksums?: string }>()
      if (verify !== undefined) {
        refuseBesideVerify(made, options.files)
        return verifyFile({ context: options.context, file: verify, checksums })
      }
      if (checksums !== undefined) {
        throw new UsageError('--checksums needs --verify.', 'Name the file with --verify FILE.')
      }
      return version({ ...options, client: flag(made, 'client'), json: flag(made, 'json') })
    },
  )

/** Throws a `UsageError` for what `--verify` would ignore: of `--verify muster-*`, the shell makes several files. */
function refuseBesideVerify(made: CliCommand, files: readonly string[]): void {
  if (files.length > 0) throw new UsageError('--verify takes one file.', 'Run it once for each file.')
  const refused = ['json', 'client'].find((name) => flag(made, name))
  if (refused === undefined) return
  throw new UsageError(`--verify cannot be used with --${refused}.`, 'Use one of them.')
}

/**
 * Shows the version of muster, and the release on each host of the file; of muster alone where no file is named and
 * there is no default one.
 */
async function version(
  options: ClusterOptions & { readonly client: boolean; readonly json: boolean },
): Promise<ExitCode> {
  const { context, client, json } = options
  const own = context.version
  const { hosts, unreachable } =
    client || !hasFile(options) ? { hosts: [], unreachable: [] } : await hostVersions(options)
  if (json) context.stdout.write(jsonText({ muster: own, hosts }))
  else {
    const table = hosts.length === 0 ? '' : `\n${versionsText(hosts, { own, ...tableLayout(context) })}`
    context.stdout.write(`muster ${own}\n${table}`)
  }
  reportUnreachable(context, unreachable)
  return unreachable.length === 0 ? exitCodes.ok : exitOfUnreachable(unreachable)
}

const hasFile = ({ context, files }: ClusterOptions): boolean =>
  files.length > 0 || Boolean(context.env.MUSTER_FILE) || fileExists(resolve(context.cwd, defaultFile))

async function hostVersions(options: ClusterOptions): Promise<{
  readonly hosts: readonly HostVersion[]
  readonly unreachable: readonly UnreachableHost[]
}> {
  const { context } = options
  const { config } = await openCluster(options)
  await prepareConnections(context, withShortTimeout(config).hosts)
  const { survey } = await surveyReadOnly(context, config, { facts: installedFactsOnly.facts })
  await closeAll(survey)
  if (context.signal.aborted) throw new Interrupted()
  const reached = survey.reached.map(({ host, facts }): HostVersion => {
    const { currentRelease: release } = facts.installation
    return {
      host: host.name,
      state: release === undefined ? 'not-installed' : 'installed',
      ...(release !== undefined && { release }),
    }
  })
  const others = survey.unreachable.map(
    ({ host, unreachable }): HostVersion => ({
      host: host.name,
      state: unreachable ? 'unreachable' : 'failed',
    }),
  )
  return {
    hosts: inOrderOf(config, [...reached, ...others], ({ host }) => host),
    unreachable: survey.unreachable,
  }
}
