import { resolve } from 'node:path'
import { listOf } from '../../base/words.ts'
import { leafFacts } from '../../certificates/certificateFacts.ts'
import type { Define } from '../../cli/command.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { readInputFile } from '../../cli/readInputFile.ts'
import { UsageError } from '../../cli/usageError.ts'
import type { HostConfig } from '../../config/model.ts'
import { importOutside } from '../../deployment/certificates/outsideCertificates.ts'
import { isGenerated } from '../../deployment/desired/generatedStores.ts'
import { lockState } from '../../deployment/state/lockState.ts'
import { openState, readState, saveState } from '../../deployment/state/openState.ts'
import { stateFolder } from '../../deployment/state/statePlace.ts'
import { fileArguments, runOnFiles } from '../../session/clusterOptions.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'

export const certImportCommand: Define = (made, world) =>
  runOnFiles(
    fileArguments(made)
      .requiredOption('--host <host>', 'host of the certificate')
      .requiredOption('--from <path>', 'PEM file with the certificate and its chain, including the root'),
    world,
    (options) => certImport({ ...options, ...made.opts<{ host: string; from: string }>() }),
  )

/**
 * Saves the certificate of an external authority in the state directory, after checks. The next installation deploys
 * it; muster never renews it. Reaches no host.
 */
async function certImport(
  options: ClusterOptions & { readonly host: string; readonly from: string },
): Promise<ExitCode> {
  const { context, from } = options
  const { config } = await openCluster(options)
  const host = config.hosts.find(({ name }) => name === options.host)
  if (host === undefined) {
    throw new UsageError(
      `no host in ${config.cluster} matches '${options.host}'`,
      `The file has ${listOf(config.hosts.map(({ name }) => name))}.`,
    )
  }
  if (!isGenerated(host)) {
    throw new UsageError(
      `The stores of ${host.name} are your own: its certificate comes from its keystore.`,
      'Put the certificate into the keystore that the file names, then run `muster install`.',
    )
  }
  const { text } = await readInputFile({
    path: resolve(context.cwd, from),
    what: 'The chain',
    pipe: context.signal,
  })
  // Looked at first: taking the lock makes a folder where there was none.
  if ((await readState(config)) === undefined) throw noKey(config, host)
  const lock = await lockState(config, { now: context.now(), operation: 'cert import' })
  try {
    const { state, notes } = await openState(config)
    for (const note of notes) context.stderr.write(`warning: ${note}\n`)
    const imported = importOutside({ state, host, pem: text, now: context.now() })
    if (imported === undefined) throw noKey(config, host)
    for (const warning of imported.warnings) context.stderr.write(`warning: ${warning}\n`)
    await saveState({
      directory: config.directory,
      cluster: config.cluster,
      before: state,
      after: imported.state,
    })
    const facts = leafFacts(imported.chain, context.now())
    context.stdout.write(
      `imported the certificate of ${host.name}, signed by ${facts?.issuer ?? ''}, until ${facts?.notAfter.slice(0, 10) ?? ''}\n` +
        'muster install deploys it and makes all hosts trust its authority; muster cert renew does not renew it.\n' +
        'Clients must trust this authority before the host serves the certificate: muster cert export\n',
    )
    return exitCodes.ok
  } finally {
    await lock.release()
  }
}

const noKey = (place: Parameters<typeof stateFolder>[0], { name }: HostConfig): UsageError =>
  new UsageError(
    `${stateFolder(place)} has no key of ${name} for this certificate.`,
    `Run \`muster install\` to create the key, then request a certificate: muster cert csr --host ${name}`,
  )
