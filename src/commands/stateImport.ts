import { resolve } from 'node:path'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { openArchive } from '../deployment/state/archive.ts'
import { readArchive } from '../deployment/state/archiveFile.ts'
import { emptyState } from '../deployment/state/clusterState.ts'
import { lockState } from '../deployment/state/lockState.ts'
import { openState } from '../deployment/state/openState.ts'
import { saveState } from '../deployment/state/saveState.ts'
import { stateDifferences } from '../deployment/state/stateDifferences.ts'
import { stateFolder } from '../deployment/state/statePlace.ts'
import type { Secret } from '../secrets/secret.ts'
import { stateFailure } from './stateFailure.ts'

/** `muster state import FILE --from ARCHIVE`: an exported state into a folder that has none. */
export async function stateImport(options: {
  readonly context: CommandContext
  /** Folder of the YAML file, absolute. */
  readonly directory: string
  readonly cluster: string
  readonly from: string
  readonly passphrase: Secret
}): Promise<ExitCode> {
  const { context, cluster, passphrase } = options
  const from = resolve(context.cwd, options.from)
  try {
    const archive = await readArchive(from)
    const there = await openArchive({ name: from, cluster, archive, passphrase })
    const lock = await lockState(options, context.now())
    try {
      const { state: here, notes } = await openState(options)
      for (const note of notes) context.stderr.write(`warning: ${note}\n`)
      const differences = stateDifferences(here, there)
      if (differences.length === 0) {
        context.stdout.write(`nothing to do: ${stateFolder(options)} already has this state\n`)
        return exitCodes.ok
      }
      if (stateDifferences(here, emptyState).length > 0) return refuse(options, differences)
      await saveState({ ...options, before: here, after: there })
      context.stdout.write(`imported the state of cluster \`${cluster}\` into ${stateFolder(options)}\n`)
      return exitCodes.ok
    } finally {
      await lock.release()
    }
  } catch (error) {
    return stateFailure(context, error)
  }
}

function refuse(
  options: { context: CommandContext; directory: string; cluster: string },
  differences: readonly string[],
): ExitCode {
  const folder = stateFolder(options)
  const lines = differences.map((line) => `  - ${line}\n`).join('')
  options.context.stderr.write(
    `error: ${folder} has a different state than the archive, and muster never overwrites a state (already-exists)\n` +
      `${lines}  fix: to use the state of the archive, move ${folder} away first\n`,
  )
  return exitCodes.failed
}
