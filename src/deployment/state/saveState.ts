import { type ClusterState, emptyState } from './clusterState.ts'
import { readState } from './openState.ts'
import { stateDifferences } from './stateDifferences.ts'
import { readFiles, writeFiles } from './stateDirectory.ts'
import { StateError } from './stateError.ts'
import { encodeState, isOutsideMark } from './stateFiles.ts'
import { type StatePlace, stateFolder } from './statePlace.ts'

/**
 * Makes the disk say `after` where it said `before`: all of it or, after a crash at any moment, none. It deletes
 * nothing but the mark of an outside authority, and where nothing differs it writes nothing. Hold the lock meanwhile. Throws `StateError`
 * with `changed-meanwhile` when the disk says other than `before`, and `authority-replaced` when `after` has
 * neither the authority of `before` nor the one that its rotation is about to bring.
 */
export async function saveState(
  options: StatePlace & { readonly before: ClusterState; readonly after: ClusterState },
): Promise<{ readonly written: readonly string[] }> {
  const { before, after } = options
  const where = stateFolder(options)
  const differences = stateDifferences((await readState(options))?.state ?? emptyState, before)
  if (differences.length > 0) {
    throw new StateError({
      code: 'changed-meanwhile',
      message: `${where} was changed by someone else since it was read: ${differences.join('; ')}`,
      fix: 'run the command again; nothing was written',
    })
  }
  const kept = before.authority
  const { rotation } = before
  const next = rotation?.phase === 'trust' ? rotation.next.certificate : undefined
  const signing = after.authority?.certificate
  if (kept !== undefined && kept.certificate !== signing && (next === undefined || next !== signing)) {
    throw new StateError({
      code: 'authority-replaced',
      message: `${where} has an authority, and muster never replaces one automatically`,
      fix: 'run `muster cert rotate-authority` to replace it: clients then have time to trust the new one',
    })
  }
  const current = (await readFiles(options))?.files ?? new Map<string, Buffer>()
  const wanted = encodeState(after)
  const left = [...current.keys()].filter((path) => isOutsideMark(path) && !wanted.has(path))
  const changed = [
    ...[...wanted].filter(([path, content]) => !current.get(path)?.equals(content)),
    ...left.map((path) => [path, Buffer.alloc(0)] as const),
  ]
  if (changed.length > 0) await writeFiles(options, new Map(changed))
  return { written: changed.map(([path]) => path) }
}
