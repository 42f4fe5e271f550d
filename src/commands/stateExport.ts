import { resolve } from 'node:path'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { sealArchive } from '../deployment/state/archive.ts'
import { writeArchive } from '../deployment/state/archiveFile.ts'
import { lockState } from '../deployment/state/lockState.ts'
import { openState, readState } from '../deployment/state/openState.ts'
import { StateError } from '../deployment/state/stateError.ts'
import { type StatePlace, stateFolder } from '../deployment/state/statePlace.ts'
import type { Secret } from '../secrets/secret.ts'
import { stateFailure } from './stateFailure.ts'

/** `muster state export FILE --out ARCHIVE`: the whole state as one encrypted file (0600). */
export async function stateExport(options: {
  readonly context: CommandContext
  /** Folder of the YAML file, absolute. */
  readonly directory: string
  readonly cluster: string
  readonly out: string
  readonly passphrase: Secret
}): Promise<ExitCode> {
  const { context, cluster, passphrase } = options
  const out = resolve(context.cwd, options.out)
  try {
    // Looked at first: taking the lock makes a folder where there was none.
    if ((await readState(options)) === undefined) throw nothingThere(options)
    const lock = await lockState(options, context.now())
    try {
      const { state, notes } = await openState(options)
      for (const note of notes) context.stderr.write(`warning: ${note}\n`)
      await writeArchive(out, await sealArchive({ cluster, state, passphrase }))
    } finally {
      await lock.release()
    }
    context.stdout.write(
      `wrote ${out} (encrypted). It contains the authority's key and generated passwords: store it and its passphrase separately\n`,
    )
    return exitCodes.ok
  } catch (error) {
    return stateFailure(context, error)
  }
}

const nothingThere = (place: StatePlace): StateError =>
  new StateError({
    code: 'no-state',
    message: `cluster \`${place.cluster}\` has no state to export: ${stateFolder(place)} does not exist or is empty`,
    fix: 'run this where the cluster was installed from',
  })
