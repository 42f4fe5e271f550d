import type { Emit } from '../deployment/events.ts'
import { newGrants } from '../deployment/grants.ts'
import { type StatePlace, stateFolder } from '../deployment/state/statePlace.ts'
import { grantsText } from '../output/deployment/grants.ts'
import { partText } from '../output/deployment/part.ts'
import type { CommandContext } from './context.ts'
import type { PreparedRun } from './prepareRun.ts'
import { namesOf, type SelectedCluster } from './selectTargets.ts'

/** A log for machines is no place for a password. */
export function tellWhereKept(run: PreparedRun, place: StatePlace, emit: Emit): void {
  for (const { user } of run.preparation.made) {
    emit({ type: 'notice', message: `the password of ${user} was made now; ${stateFolder(place)} keeps it` })
  }
}

/** Says which part of the file it was, where the command was not for all of it. */
export function tellPart(options: {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly json: boolean
  readonly emit: Emit
}): void {
  const { context, config, json, emit } = options
  const message = partText({ ...config, hosts: namesOf(config.hosts), left: namesOf(config.left) })
  if (message === undefined) return
  if (json) emit({ type: 'notice', message })
  else context.stdout.write(`${message}\n`)
}

/** Says which accounts the databases need, whether the run went well or not: a second one may change nothing. */
export function tellGrants(options: {
  readonly context: CommandContext
  readonly run: PreparedRun
  readonly json: boolean
  readonly emit: Emit
}): void {
  const { context, run, json, emit } = options
  const grants = newGrants(run.preparation.targets)
  if (json) for (const grant of grants) emit({ type: 'notice', message: grantsText([grant]) })
  else if (grants.length > 0) context.stdout.write(`\n${grantsText(grants)}`)
}
