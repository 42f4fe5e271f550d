import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { stateIoError, systemCode } from '../state/ioErrors.ts'
import { makeFolder } from '../state/stateDirectory.ts'
import { type StatePlace, stateFolder } from '../state/statePlace.ts'
import { type KnownRun, parseRuns, runLine } from './runRecord.ts'

/** Where the runs of a cluster are written down, one JSON text a line. */
export const runsFile = (place: StatePlace): string => join(stateFolder(place), 'runs.jsonl')

/** Whether the state directory holds anything besides the lock. */
export async function keepsAnything(place: StatePlace): Promise<boolean> {
  try {
    return (await readdir(stateFolder(place))).some((name) => name !== 'lock')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw stateIoError(error, 'read', stateFolder(place))
  }
}

/** Writes down a run, or that it begins (0600), in one write. Throws `StateError`. Hold the lock of the state meanwhile. */
export async function appendRun(place: StatePlace, record: KnownRun): Promise<void> {
  const path = runsFile(place)
  await makeFolder(place)
  try {
    const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW } = constants
    const file = await open(path, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600)
    try {
      // Half a line that a full disk or a crash left must not swallow this one.
      const { size } = await file.stat()
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
      const torn = size > 0 && buffer.toString() !== '\n'
      await file.writeFile(`${torn ? '\n' : ''}${runLine(record)}`)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    throw stateIoError(error, 'write', path)
  }
}

/** The runs that were written down, oldest first; none where there is no such file. Throws `StateError`. */
export async function readRuns(place: StatePlace): Promise<readonly KnownRun[]> {
  const path = runsFile(place)
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      return parseRuns(await file.readFile('utf8'))
    } finally {
      await file.close()
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw stateIoError(error, 'read', path)
  }
}
