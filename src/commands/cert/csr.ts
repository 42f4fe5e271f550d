import { join, resolve } from 'node:path'
import { shortListOf } from '../../base/words.ts'
import { type Define, flag } from '../../cli/command.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { UsageError } from '../../cli/usageError.ts'
import { notWritten, writeNewFiles } from '../../cli/writeNewFiles.ts'
import { requestFor } from '../../deployment/certificates/outsideCertificates.ts'
import { isGenerated } from '../../deployment/desired/generatedStores.ts'
import { readState } from '../../deployment/state/openState.ts'
import { folderOf } from '../../deployment/state/stateFiles.ts'
import { stateFolder } from '../../deployment/state/statePlace.ts'
import {
  fileArguments,
  hostOption,
  runOnFiles,
  shardOption,
  targetsGiven,
} from '../../session/clusterOptions.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { namesOf } from '../../session/selectTargets.ts'

export const certCsrCommand: Define = (made, world) =>
  runOnFiles(
    shardOption(hostOption(fileArguments(made)))
      .requiredOption('--out <path>', 'folder for the requests, one HOST.csr each')
      .option('--force', 'overwrite existing requests'),
    world,
    (options) => {
      const { out } = made.opts<{ out: string }>()
      return certCsr({ ...options, targets: targetsGiven(made), out, force: flag(made, 'force') })
    },
  )

/**
 * Writes a certificate signing request for each host's key, which stays in the state directory. Reaches no host. Writes
 * all requests or none.
 */
async function certCsr(
  options: ClusterOptions & { readonly out: string; readonly force: boolean },
): Promise<ExitCode> {
  const { context, out, force } = options
  const { config } = await openCluster(options)
  const opened = await readState(config)
  const yours = config.hosts.filter((host) => !isGenerated(host))
  if (yours.length > 0) {
    throw new UsageError(
      `The stores of ${shortListOf(namesOf(yours), 8)} are your own: muster does not have their keys.`,
      'Create the request where the keystore was created, such as with keytool -certreq, or exclude these hosts with --host.',
    )
  }
  const requests = config.hosts.map((host) => {
    const stores = opened?.state.hosts.get(host.name)
    return { host: host.name, request: stores && requestFor(host, stores) }
  })
  const without = requests.filter(({ request }) => request === undefined).map(({ host }) => host)
  if (without.length > 0) {
    throw new UsageError(
      `${stateFolder(config)} has no key of ${shortListOf(without, 8)}.`,
      'Run `muster install` first: it creates the key and a certificate to use until the external one is imported.',
    )
  }
  const files = requests.map(({ host, request = '' }) => {
    const file = join(out, `${folderOf(host)}.csr`)
    return { file, path: resolve(context.cwd, file), text: request, mode: 0o644 }
  })
  const folder = resolve(context.cwd, out)
  const failed = await writeNewFiles(files, { force, folder })
  if (failed !== undefined) throw notWritten(failed.outcome, { files: failed.files.map(({ file }) => file) })
  for (const { file } of files) context.stdout.write(`wrote ${file}\n`)
  context.stdout.write(
    'Each request contains all names of its host. Next, import the signed certificate: muster cert import --host HOST --from CHAIN\n',
  )
  return exitCodes.ok
}
