import { jsonText } from '../../base/json.ts'
import { counted, shortListOf } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'
import type { AccountGrants } from '../../deployment/grants.ts'
import { type HostPlan, stepsText, stepsTextWithoutNames } from '../../deployment/hostPlan.ts'
import { grouped } from '../../diagnostics/grouped.ts'
import { paint } from './paint.ts'
import { turnsText } from './turns.ts'

/** Hosts that one line names at most; the plan for programs names all. */
const most = 12

/**
 * The plan for people: each host with its changes and their differences. Hosts of which the same would be said
 * are named below the first, and hosts without any change in one line, so that many stay readable.
 */
export function planText(options: {
  readonly cluster: string
  readonly notes: readonly string[]
  readonly plans: readonly HostPlan[]
  /** Names of hosts of the file that the plan is not for. */
  readonly left?: readonly string[]
  readonly colour: boolean
  /** Columns for all but the differences; without, lines stay as long as they are. */
  readonly width?: number
}): string {
  const { cluster, plans, notes, left = [], width = Number.POSITIVE_INFINITY } = options
  const wrapped = (text: string, rest = '  '): readonly string[] => wrap(text, { width, first: '', rest })
  const { bold, dim, green, red, yellow } = paint(options.colour)
  const marks = { create: green('+'), change: yellow('~'), delete: red('-') }
  const changing = plans.filter((plan) => plan.steps.length > 0)
  const unchanged = plans.filter((plan) => plan.steps.length === 0).map((plan) => plan.host)
  const others = left.length === 0 ? [] : wrapped(`${shortListOf(left, 8)}: left out`)
  const noted = [...notes, turnsText(plans) ?? []]
    .flat()
    .flatMap((note) => wrap(note, { width, first: '  * ', rest: '    ' }))
  if (changing.length === 0) {
    const all = left.length === 0 ? counted(plans.length, 'host') : shortListOf(unchanged, 8)
    return `${[`${cluster}: nothing to do on ${all}.`, ...noted, ...others].join('\n')}\n`
  }
  // By step, the first host of which it was said.
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
    const names = shortListOf(others, most)
    const same = exactly ? 'the same' : 'the same, each with its own name and address'
    const too = others.length === 0 ? [] : wrapped(`${bold(`${names}:`)} ${same}`)
    return [`${bold(plan.host)} ${dim(`(${plan.address})`)}`, ...steps, ...too].join('\n')
  })
  const rest =
    unchanged.length === 0 ? [] : [wrapped(`${shortListOf(unchanged, most)}: nothing to do`).join('\n')]
  const head = `${cluster}: changes on ${changing.length} of ${counted(plans.length, 'host')}`
  return `${[[head, ...noted].join('\n'), ...hosts, ...rest, ...(others.length === 0 ? [] : [others.join('\n')])].join('\n\n')}\n`
}

/** Plans of which the same would be said but for a host's own name and address, the first of them with the others. */
const alike = (
  plans: readonly HostPlan[],
): readonly { readonly plan: HostPlan; readonly others: readonly string[]; readonly exactly: boolean }[] =>
  grouped(plans, stepsTextWithoutNames).map(([plan, ...others]) => ({
    plan,
    others: others.map(({ host }) => host),
    exactly: others.every((other) => stepsText(other) === stepsText(plan)),
  }))

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
  return jsonText({ cluster, changes, notes, hosts, left, grants })
}
