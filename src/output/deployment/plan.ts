import type { AccountGrants } from '../../deployment/grants.ts'
import type { HostPlan } from '../../deployment/hostPlan.ts'
import { counted, shortListOf } from '../../diagnostics/words.ts'
import { paint } from './paint.ts'
import { turnsText } from './turns.ts'

/** The plan for people: each host with its changes and their differences, hosts without any in one line. */
export function planText(options: {
  readonly cluster: string
  readonly notes: readonly string[]
  readonly plans: readonly HostPlan[]
  /** Names of hosts of the file that the plan is not for. */
  readonly left?: readonly string[]
  readonly colour: boolean
}): string {
  const { cluster, plans, notes, left = [] } = options
  const { bold, dim, yellow } = paint(options.colour)
  const changing = plans.filter((plan) => plan.steps.length > 0)
  const unchanged = plans.filter((plan) => plan.steps.length === 0).map((plan) => plan.host)
  const others = left.length === 0 ? [] : [`${shortListOf(left, 8)}: left out`]
  const noted = [...notes, turnsText(plans) ?? []].flat().map((note) => `  ${yellow('~')} ${note}`)
  if (changing.length === 0) {
    const all = left.length === 0 ? counted(plans.length, 'host') : shortListOf(unchanged, 8)
    return `${[`${cluster}: nothing to do on ${all}.`, ...noted, ...others].join('\n')}\n`
  }
  const hosts = changing.map((plan) => {
    const steps = plan.steps.flatMap(({ change }) => [
      `  ${yellow('~')} ${change.summary}`,
      ...change.details.map((detail) => dim(`      ${detail}`)),
    ])
    return [`${bold(plan.host)} ${dim(`(${plan.address})`)}`, ...steps].join('\n')
  })
  const rest = unchanged.length === 0 ? [] : [`${unchanged.join(', ')}: nothing to do`]
  const head = `${cluster}: changes on ${changing.length} of ${counted(plans.length, 'host')}`
  return `${[[head, ...noted].join('\n'), ...hosts, ...rest, ...others].join('\n\n')}\n`
}

/** The plan for programs. */
export function planJson(options: {
  readonly cluster: string
  readonly notes: readonly string[]
  readonly plans: readonly HostPlan[]
  readonly left: readonly string[]
  readonly grants: readonly AccountGrants[]
}): string {
  const { cluster, notes, left, grants } = options
  const hosts = options.plans.map(({ host, address, steps }) => ({
    host,
    address,
    changes: steps.map(({ step, change }) => ({ step: step.id, phase: step.phase, ...change })),
  }))
  const changes = hosts.some(({ changes }) => changes.length > 0)
  return `${JSON.stringify({ cluster, changes, notes, hosts, left, grants }, null, 2)}\n`
}
