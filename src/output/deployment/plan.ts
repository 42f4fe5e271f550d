import { jsonText } from '../../base/json.ts'
import { counted, shortListOf } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'
import type { AccountGrants } from '../../deployment/databaseAccounts.ts'
import type { Rollout } from '../../deployment/execution/rollout.ts'
import type { Wave } from '../../deployment/execution/schedule.ts'
import { type HostPlan, stepsText, stepsTextWithoutNames } from '../../deployment/hostPlan.ts'
import { groupBy } from '../../diagnostics/groupBy.ts'
import { paint } from '../paint.ts'
import { foldChanges } from './foldChanges.ts'

/** Current and planned release of a host. */
type ReleaseChange = { readonly host: string; readonly from: string; readonly to: string }

/** Writes one line per change of release with its hosts; hosts without a change have none. */
export function releaseChangesText(moves: readonly ReleaseChange[]): readonly string[] {
  const ways = new Map<string, string[]>()
  for (const { host, from, to } of moves) {
    const way = `release ${from} → ${to}`
    if (from !== to) ways.set(way, [...(ways.get(way) ?? []), host])
  }
  return [...ways].map(([way, hosts]) => `${way}: ${shortListOf(hosts, 8)}`)
}

/** Writes the order of the hosts on one line; undefined if all run at once. */
export function wavesText(waves: readonly Wave[], { maxFailed }: Rollout): string | undefined {
  if (waves.length < 2) return undefined
  const batches = waves.filter(({ canary }) => !canary)
  const [first] = waves
  const most = Math.max(...batches.map(({ hosts }) => hosts.length))
  const [only] = batches
  const one = only !== undefined && batches.length === 1
  const order = first?.canary
    ? `: ${first.hosts.join()} alone, then ${one ? shortListOf(only.hosts, 8) : `at most ${counted(most, 'host')} each`}`
    : ` of at most ${counted(most, 'host')}`
  const end =
    maxFailed === 0 ? 'a failure stops the run' : `more than ${counted(maxFailed, 'failure')} stop the run`
  return `${waves.length} waves${order}; ${end} before the next wave`
}

/** Explains how connectors with clients are restarted; undefined if there are none. */
export function connectorRestartsText(plans: readonly HostPlan[]): string | undefined {
  const draining = plans.flatMap(({ host, steps }) => {
    const times = steps.flatMap(({ change }) => change.drains ?? [])
    return times.length === 0 ? [] : [{ host, seconds: Math.max(...times) / 1000 }]
  })
  if (draining.length === 0) return undefined
  const names = shortListOf(
    draining.map(({ host }) => host),
    maxListed,
  )
  const most = Math.max(...draining.map(({ seconds }) => seconds))
  return draining.length === 1
    ? `restart the connector of ${names}; its clients have ${most} s to finish`
    : `restart the connectors one after another; their clients have ${most} s each to finish: ${names}`
}

/** Number of changes by their mark, and of the hosts that have any. */
type PlanCounts = Readonly<Record<'add' | 'change' | 'remove' | 'hosts', number>>

const verbs = { create: 'add', change: 'change', delete: 'remove' } as const

export function countsOf(plans: readonly HostPlan[]): PlanCounts {
  const counts = { add: 0, change: 0, remove: 0, hosts: 0 }
  for (const { steps } of plans) {
    if (steps.length > 0) counts.hosts += 1
    for (const { change } of steps) counts[verbs[change.kind ?? 'change']] += 1
  }
  return counts
}

export const countsText = ({ add, change, remove, hosts }: PlanCounts): string =>
  `Plan: ${add} to add, ${change} to change, ${remove} to remove on ${counted(hosts, 'host')}`

/** Limit of hosts on one line; JSON has all. */
export const maxListed = 12

/**
 * Writes the plan for a person: each host with its changes and diffs, then their numbers. Hosts with equal
 * changes are named below the first one, and hosts without changes share one line.
 */
export function planText(options: {
  readonly cluster: string
  readonly notes: readonly string[]
  readonly plans: readonly HostPlan[]
  /** Hosts of the file that the plan excludes. */
  readonly excluded?: readonly string[]
  readonly colour: boolean
  /** Columns for all but the diffs; absent: lines are not wrapped. */
  readonly width?: number
}): string {
  const { cluster, plans, notes, excluded = [], width = Number.POSITIVE_INFINITY } = options
  const wrapped = (text: string, rest = '  '): readonly string[] => wrap(text, { width, first: '', rest })
  const { bold, dim, green, red, yellow } = paint(options.colour)
  const marks = { create: green('+'), change: yellow('~'), delete: red('-') }
  const changing = plans.filter((plan) => plan.steps.length > 0)
  const unchanged = plans.filter((plan) => plan.steps.length === 0).map((plan) => plan.host)
  const others = excluded.length === 0 ? [] : wrapped(`${shortListOf(excluded, 8)}: not selected`)
  const noted = [...notes, connectorRestartsText(plans) ?? []]
    .flat()
    .flatMap((note) => wrap(note, { width, first: '  * ', rest: '    ' }))
  if (changing.length === 0) {
    const all = excluded.length === 0 ? counted(plans.length, 'host') : shortListOf(unchanged, 8)
    return `${[`${cluster}: nothing to do on ${all}.`, ...noted, ...others].join('\n')}\n`
  }
  // By step, the first host that printed it.
  const said = new Map<string, string>()
  const hosts = alike(changing).map(({ plan, others, exactly }) => {
    const steps = plan.steps.flatMap(({ step, change }) => {
      const key = JSON.stringify([step.id, change])
      const first = change.details.length < 2 ? undefined : said.get(key)
      if (first === undefined) said.set(key, plan.host)
      const details = first === undefined ? change.details : [`as on ${first}`]
      return [
        ...wrap(change.summary, { width, first: `  ${marks[change.kind ?? 'change']} `, rest: '    ' }),
        ...details.map((detail) => dim(`      ${detail}`)),
      ]
    })
    const names = shortListOf(others, maxListed)
    const same = exactly ? 'the same' : 'the same, each with its own name and address'
    const too = others.length === 0 ? [] : wrapped(`${bold(`${names}:`)} ${same}`)
    return [`${bold(plan.host)} ${dim(`(${plan.address})`)}`, ...steps, ...too].join('\n')
  })
  const rest =
    unchanged.length === 0 ? [] : [wrapped(`${shortListOf(unchanged, maxListed)}: nothing to do`).join('\n')]
  const head = `${cluster}: changes on ${changing.length} of ${counted(plans.length, 'host')}`
  const left = others.length === 0 ? [] : [others.join('\n')]
  const counts = wrapped(countsText(countsOf(plans))).join('\n')
  return `${[[head, ...noted].join('\n'), ...hosts, ...rest, ...left, counts].join('\n\n')}\n`
}

/**
 * Groups plans that are equal as a person sees them, or equal except for the host's own name and address: the first
 * one, and the hosts of the others.
 */
export const alike = (
  plans: readonly HostPlan[],
): readonly { readonly plan: HostPlan; readonly others: readonly string[]; readonly exactly: boolean }[] =>
  groupBy(
    // Equal plans may name one of their hosts, which is then no name to leave out.
    groupBy(foldChanges(plans), stepsText),
    ([plan]) => stepsTextWithoutNames(plan),
  ).map((groups) => {
    const [[plan, ...equal], ...others] = groups
    return {
      plan,
      others: [...equal, ...others.flat()].map(({ host }) => host),
      exactly: others.length === 0,
    }
  })

/** Writes the plan as JSON. */
export function planJson(options: {
  readonly cluster: string
  readonly notes: readonly string[]
  readonly plans: readonly HostPlan[]
  readonly excluded: readonly string[]
  readonly grants: readonly AccountGrants[]
  /** Hosts and users that left the file; absent where the plan takes them out. */
  readonly leftFile?: unknown
}): string {
  const { cluster, notes, excluded, grants, leftFile } = options
  const hosts = options.plans.map(({ host, address, steps }) => ({
    host,
    address,
    changes: steps.map(({ step, change: { settings: _, ...change } }) => ({
      step: step.id,
      phase: step.phase,
      ...change,
    })),
  }))
  const changes = hosts.some(({ changes }) => changes.length > 0)
  return jsonText({
    cluster,
    changes,
    counts: countsOf(options.plans),
    notes,
    hosts,
    left: excluded,
    leftFile,
    grants,
  })
}
