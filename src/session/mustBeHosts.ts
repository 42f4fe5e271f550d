import { UsageError } from '../cli/usageError.ts'
import type { ClusterConfig } from '../config/model.ts'
import { nearest } from '../diagnostics/nearest.ts'
import { shortListOf } from '../diagnostics/words.ts'
import { namesOf } from './selectTargets.ts'

/** Throws a `UsageError` where an option was given a name that no host of the command has. */
export function mustBeHosts(config: ClusterConfig, option: string, given: readonly string[]): void {
  const names = namesOf(config.hosts)
  const vain = given.find((name) => !names.includes(name))
  if (vain === undefined) return
  const meant = nearest(vain, names)
  throw new UsageError(
    `${option} ${vain} is not a selected host.`,
    meant === undefined
      ? `Selected hosts: ${shortListOf(names, 8)}. Wildcards are not allowed here.`
      : `Did you mean ${meant}?`,
  )
}
