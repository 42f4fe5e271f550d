import { join, resolve } from 'node:path'
import { requestFor } from '../../deployment/certificates/requestFor.ts'
import { isGenerated } from '../../deployment/desired/stores.ts'
import { readState } from '../../deployment/state/openState.ts'
import { folderOf } from '../../deployment/state/stateFiles.ts'
import { stateFolder } from '../../deployment/state/statePlace.ts'
import { shortListOf } from '../../diagnostics/words.ts'
import { type ExitCode, exitCodes } from '../exitCodes.ts'
import { type ClusterOptions, openCluster } from '../openCluster.ts'
import { namesOf } from '../selectTargets.ts'
import { UsageError } from '../usageError.ts'
import { writeNewFile } from '../writeNewFile.ts'
import { writeProblem } from '../writeProblem.ts'

/**
 * `muster cert csr`: a request to an outside authority for each host's key, which stays in the state directory.
 * No host is reached. Either every host can have one, or none is written.
 */
export async function certCsr(
  options: ClusterOptions & { readonly out: string; readonly force: boolean },
): Promise<ExitCode> {
  const { context, out, force } = options
  const config = await openCluster(options)
  if (typeof config === 'number') return config
  const opened = await readState(config)
  const yours = config.hosts.filter((host) => !isGenerated(host))
  if (yours.length > 0) {
    throw new UsageError(
      `The stores of ${shortListOf(namesOf(yours), 8)} are yours: muster has no key of them.`,
      'Make the request where the keystore was made, such as with keytool -certreq, or leave these hosts out with --host.',
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
      'A key is made by the first `muster install` of a host; its own certificate serves until the outside one is there.',
    )
  }
  for (const { host, request = '' } of requests) {
    const file = join(out, `${folderOf(host)}.csr`)
    const path = resolve(context.cwd, file)
    const outcome = await writeNewFile({ path, text: request, force, mode: 0o644, makeFolder: true })
    if (outcome === 'exists') {
      throw new UsageError(`${file} exists already and was left as it is.`, 'To replace it, add --force.')
    }
    if (outcome !== 'written') {
      const { message, fix } = writeProblem(outcome, { file })
      throw new UsageError(message, fix)
    }
    context.stdout.write(`wrote ${file}\n`)
  }
  context.stdout.write(
    'Each asks for all names of its host. Bring what the authority answers: muster cert import --host HOST --from CHAIN\n',
  )
  return exitCodes.ok
}
