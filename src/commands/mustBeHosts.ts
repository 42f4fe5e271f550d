import { shortListOf } from '../diagnostics/words.ts'
import { namesOf, type SelectedCluster } from './selectTargets.ts'
import { UsageError } from './usageError.ts'

/** Throws a `UsageError` where an option was given a name that no host of the command has. */
export function mustBeHosts(config: SelectedCluster, option: string, given: readonly string[]): void {
  const names = namesOf(config.hosts)
  const vain = given.find((name) => !names.includes(name))
  if (vain === undefined) return
  throw new UsageError(
    `${option} ${vain} names no host that this command is for.`,
    `Those are ${shortListOf(names, 8)}; a name is written in full.`,
  )
}
