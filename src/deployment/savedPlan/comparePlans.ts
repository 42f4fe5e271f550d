import { shortListOf } from '../../base/words.ts'
import type { ClusterConfig, HostConfig } from '../../config/model.ts'
import { madeAtInstall, type SavedHost, type SavedPlan, type SavedStep } from './savedPlan.ts'
import { configurationDigest, servicesDigest } from './savePlan.ts'

/** Returns in one sentence why this muster cannot execute a plan with this file; undefined if it can. */
export function planMismatch(
  plan: SavedPlan,
  { config, version }: { readonly config: ClusterConfig; readonly version: string },
): string | undefined {
  if (plan.cluster !== config.cluster)
    return `is for cluster ${plan.cluster}, but the file is for cluster ${config.cluster}`
  if (plan.muster !== version) return `was made by muster ${plan.muster}, but this is muster ${version}`
  const names = config.hosts.map(({ name }) => name)
  const gone = plan.hosts.map(({ host }) => host).filter((host) => !names.includes(host))
  if (gone.length > 0) return `is for ${shortListOf(gone)}, which the file no longer has`
  const known = [...plan.left, ...plan.hosts.map(({ host }) => host)]
  const added = names.filter((name) => !known.includes(name))
  if (added.length > 0) return `does not include ${shortListOf(added)}, which the file now has`
  const other = config.hosts
    .filter((host) => hasChangedConfiguration(plan, config, host))
    .map(({ name }) => name)
  if (other.length > 0) return `is outdated: the configuration of ${shortListOf(other)} has changed`
  return plan.services === servicesDigest(config)
    ? undefined
    : 'is outdated: the services in the file have changed'
}

function hasChangedConfiguration(plan: SavedPlan, config: ClusterConfig, host: HostConfig): boolean {
  const planned = plan.hosts.find((one) => one.host === host.name)
  return planned !== undefined && planned.configuration !== configurationDigest(config, host)
}

/** Lists options whose secret changed since the plan was made, each with its hosts; undefined if none did. */
export function changedSecrets(
  plan: SavedPlan,
  marks: ReadonlyMap<string, Readonly<Record<string, string>>>,
): string | undefined {
  const changed = new Map<string, string[]>()
  for (const { host, secrets } of plan.hosts) {
    const now = marks.get(host) ?? {}
    for (const option of new Set([...Object.keys(secrets), ...Object.keys(now)])) {
      if (secrets[option] !== now[option]) changed.set(option, [...(changed.get(option) ?? []), host])
    }
  }
  if (changed.size === 0) return undefined
  return [...changed].map(([option, hosts]) => `${option} of ${shortListOf(hosts)}`).join('; ')
}

/** Maximum number of lines shown per step. */
const maxLines = 6

/** Change of a host since the plan was made; `moved` is false if the same steps remain. */
type HostChange = {
  readonly host: string
  readonly moved: readonly string[]
  readonly touched: boolean
}

/**
 * Compares a saved plan with `now`, the plan made today from the same file. A host has moved if another machine
 * responds, or a step would do something else; if it changed but the steps are the same, it was only touched.
 */
export function comparePlans(saved: SavedPlan, now: SavedPlan): readonly HostChange[] {
  return now.hosts.flatMap((is): HostChange[] => {
    const was = saved.hosts.find(({ host }) => host === is.host)
    if (was === undefined) return []
    return [{ host: is.host, moved: stepChangesOf(was, is), touched: was.facts !== is.facts }]
  })
}

function stepChangesOf(was: SavedHost, is: SavedHost): readonly string[] {
  if (was.machine !== is.machine) return [`another machine answers at ${is.address}`]
  const before = new Map(was.steps.map((step) => [step.id, step]))
  const after = new Map(is.steps.map((step) => [step.id, step]))
  const vanished = was.steps.flatMap(({ id, summary }) =>
    after.has(id) ? [] : [`no longer needed: ${summary}`],
  )
  const others = is.steps.flatMap((step): readonly string[] => {
    const planned = before.get(step.id)
    return planned === undefined ? [`new: ${step.summary}`] : differencesOf(planned, step)
  })
  const moves = [...vanished, ...others]
  return moves.length > 0 ? moves : contentsOf(was, is)
}

function differencesOf(was: SavedStep, is: SavedStep): readonly string[] {
  const removed = was.details.filter((line) => !is.details.includes(line)).map((line) => `  - ${line}`)
  const added = is.details.filter((line) => !was.details.includes(line)).map((line) => `  + ${line}`)
  const lines = [...removed, ...added]
  const shown = lines.slice(0, maxLines)
  const rest = lines.length > maxLines ? [`  and ${lines.length - maxLines} more lines`] : []
  if (was.summary !== is.summary) return [`changed: ${is.summary}, not ${was.summary}`, ...shown, ...rest]
  return lines.length === 0 ? [] : [`changed: ${is.summary}`, ...shown, ...rest]
}

/** Lists files with the same summary line but other content than planned. */
function contentsOf(was: SavedHost, is: SavedHost): readonly string[] {
  return Object.entries(is.files).flatMap(([path, content]) => {
    const planned = was.files[path]
    // An interrupted run may have generated it already.
    if (planned === content || planned === madeAtInstall) return []
    return [
      `changed: ${path} would be ${content === madeAtInstall ? 'generated again' : 'another file than planned'}`,
    ]
  })
}
