import type { AccountGrants } from '../../deployment/grants.ts'
import type { HostPlan } from '../../deployment/hostPlan.ts'
import { counted } from '../../diagnostics/words.ts'
import { paint } from './paint.ts'

/** The plan for people: each host with its changes and their differences, hosts without any in one line. */
export function planText(options: {
  readonly cluster: string
  readonly notes: readonly string[]
  readonly plans: readonly HostPlan[]
  readonly colour: boolean
}): string {
  const { cluster, plans, notes } = options
  const { bold, dim, yellow } = paint(options.colour)
  const changing = plans.filter((plan) => plan.steps.length > 0)
  const unchanged = plans.filter((plan) => plan.steps.length === 0).map((plan) => plan.host)
  const noted = notes.map((note) => `  ${yellow('~')} ${note}`)
  if (changing.length === 0) {
    return `${[`${cluster}: nothing to do on ${counted(plans.length, 'host')}.`, ...noted].join('\n')}\n`
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
  return `${[[head, ...noted].join('\n'), ...hosts, ...rest].join('\n\n')}\n`
}

/** The plan for programs. */
export function planJson(options: {
  readonly cluster: string
  readonly notes: readonly string[]
  readonly plans: readonly HostPlan[]
  readonly grants: readonly AccountGrants[]
}): string {
  const { cluster, notes, grants } = options
  const hosts = options.plans.map(({ host, address, steps }) => ({
    host,
    address,
    changes: steps.map(({ step, change }) => ({ step: step.id, phase: step.phase, ...change })),
  }))
  const changes = hosts.some(({ changes }) => changes.length > 0)
  return `${JSON.stringify({ cluster, changes, notes, hosts, grants }, null, 2)}\n`
}
