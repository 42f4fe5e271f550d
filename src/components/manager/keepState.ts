import { ProblemError } from '../../api/problemError.ts'
import { reasonOf, StartError } from '../../api/startError.ts'
import type { ServicesMap } from '../../contracts/servicesMap.ts'
import type { StateFile } from '../stateFile.ts'
import { forgetGone, freshState, type ManagerState, readState } from './managerState.ts'

/** What a manager knows, and what is on disk of it: always the same. */
export type KeptState = {
  state(): ManagerState
  /** Makes a state the one in effect; it is on disk when this returns. Throws a `not-ready` problem, and then nothing changed. */
  replace(next: ManagerState): void
  /** Why the last change could not be written; undefined since one could be. */
  problem(): string | undefined
  /** How often one could not be written. */
  failures(): number
}

/**
 * The state at a path as it holds for this installation, written at once where there is none: so it is known at the
 * start that it can be kept. Throws a `StartError`.
 */
export function openState(options: {
  readonly file: StateFile
  readonly path: string
  readonly installed: ServicesMap
  readonly now: Date
}): KeptState {
  const { file, path, installed, now } = options
  const read = readState(file.read(), path)
  const begun = read ?? freshState(now)
  if (read === undefined) {
    try {
      file.write(begun)
    } catch (error) {
      throw new StartError(`cannot write the state ${path}: ${reasonOf(error)}`, error)
    }
  }
  let current = forgetGone(begun, begun.map ?? installed)
  let problem: string | undefined
  let failures = 0
  return {
    state: () => current,
    replace: (next) => {
      try {
        file.write(next)
      } catch (error) {
        problem = `the state ${path} cannot be written: ${reasonOf(error)}`
        failures += 1
        throw new ProblemError({ code: 'not-ready', detail: `Nothing was changed: ${problem}.` })
      }
      problem = undefined
      current = next
    },
    problem: () => problem,
    failures: () => failures,
  }
}
