import { constants } from 'node:fs'
import { open, readdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../base/systemErrors.ts'
import { stateIoError } from '../state/stateError.ts'
import { withStateGate } from '../state/stateGate.ts'
import { isLockName, type StatePlace, stateFolder } from '../state/statePlace.ts'
import { type KnownRun, parseRuns, runLine } from './runRecord.ts'

/** Returns the path of a cluster's run records, one JSON text per line. */
export const runsFile = (place: StatePlace): string => join(stateFolder(place), 'runs.jsonl')

/** Returns true if the state directory holds anything besides locks. */
export async function hasState(place: StatePlace): Promise<boolean> {
  try {
    return (await readdir(stateFolder(place))).some((name) => !isLockName(name))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw stateIoError(error, 'read', stateFolder(place))
  }
}

type RunsRule = { readonly bytes: number; readonly files: number }

/** Limits of the records, 50 MB: the file, and `.1` (the newest) to `.4` beside it. */
const runsFileRule = { bytes: 10 * 1024 * 1024, files: 5 } as const

/** Returns the files of records, newest first. */
const filesOf = (path: string, count: number): readonly string[] => [
  path,
  ...Array.from({ length: count - 1 }, (_, index) => `${path}.${index + 1}`),
]

/** Rotates a file without room for so many bytes: it becomes `.1`, and older ones move on. */
async function rotate(path: string, bytes: number, rule: RunsRule): Promise<void> {
  const size = await stat(path).then(
    (it) => it.size,
    () => 0,
  )
  if (size === 0 || size + bytes <= rule.bytes) return
  const files = filesOf(path, rule.files)
  for (let index = files.length - 2; index >= 0; index -= 1) {
    await rename(files[index] ?? '', files[index + 1] ?? '').catch((error) => {
      if (errorCode(error) !== 'ENOENT') throw error
    })
  }
}

/** Appends a run, or its start (0600), in one write. Throws `StateError`. */
export const appendRun = (
  place: StatePlace,
  record: KnownRun,
  rule: RunsRule = runsFileRule,
): Promise<void> => withStateGate(place, () => appendAlone(runsFile(place), record, rule))

async function appendAlone(path: string, record: KnownRun, rule: RunsRule): Promise<void> {
  try {
    await rotate(path, Buffer.byteLength(runLine(record)), rule)
    const { O_APPEND, O_CREAT, O_RDWR, O_NOFOLLOW } = constants
    const file = await open(path, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600)
    try {
      // An incomplete line after a full disk or a crash must not absorb this one.
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

/** Returns the recorded runs, oldest first; none without the file. Throws `StateError`. */
export async function readRuns(place: StatePlace): Promise<readonly KnownRun[]> {
  const texts: string[] = []
  // Newest first: a file that another run rotates meanwhile is read twice, not missed.
  for (const path of filesOf(runsFile(place), runsFileRule.files)) texts.unshift(await textOf(path))
  return parseRuns(texts.join('\n'))
}

async function textOf(path: string): Promise<string> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ''
    throw stateIoError(error, 'read', path)
  }
}
