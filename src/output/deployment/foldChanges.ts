import { shortListOf } from '../../base/words.ts'
import {
  changeLines,
  type KnownChange,
  knownChangeText,
  optionChangeText,
} from '../../deployment/differences.ts'
import type { HostPlan } from '../../deployment/hostPlan.ts'
import type { SettingsChange, StepChange } from '../../deployment/step.ts'

/**
 * Returns plans as they are shown to a person: what a host knows of a host that the same plans change follows from that
 * change, and is one line. Any other difference in what it knows keeps its line.
 */
export function foldChanges(plans: readonly HostPlan[]): readonly HostPlan[] {
  const sources = new Map(plans.map((plan) => [plan.host, sourceOf(plan)]))
  const follows = (host: string, one: KnownChange): boolean => {
    const source = sources.get(host)
    return source?.options.has(optionChangeText(one)) === true || (source?.changes === true && !isMove(one))
  }
  /** By host, the names of what others know of it and follows from its change. */
  const followed = new Map<string, Set<string>>()
  for (const plan of plans) {
    for (const one of plan.steps.flatMap(({ change }) => change.settings?.known ?? [])) {
      for (const host of one.hosts) {
        if (follows(host, one)) followed.set(host, (followed.get(host) ?? new Set()).add(one.name))
      }
    }
  }
  return plans.map((plan) => {
    const own = followed.get(plan.host)
    const steps = plan.steps.map(({ step, change }) => ({ step, change: folded(change, { own, follows }) }))
    return { ...plan, steps }
  })
}

/** Own changes of a host, from which changes on other hosts may follow. */
function sourceOf({ steps }: HostPlan): {
  readonly options: ReadonlySet<string>
  readonly changes: boolean
} {
  const own = steps.flatMap(({ change }) => change.settings?.own ?? [])
  const others = steps.some(({ step, change }) => step.id !== 'services' && change.settings === undefined)
  return { options: new Set(own.map(({ change }) => change)), changes: own.length > 0 || others }
}

/** Returns true for an option that has a value before and after: it follows from the same change of its host only. */
const isMove = ({ name, change }: KnownChange): boolean =>
  name.endsWith('-port') && !change.startsWith('none ') && !change.endsWith(' none')

function folded(
  { settings, ...change }: StepChange,
  of: {
    readonly own: ReadonlySet<string> | undefined
    readonly follows: (host: string, one: KnownChange) => boolean
  },
): StepChange {
  return settings === undefined ? change : { ...change, details: foldedLines(settings, of) }
}

function foldedLines(
  { own, known }: SettingsChange,
  { own: followed, follows }: Parameters<typeof folded>[1],
): readonly string[] {
  const others = new Set<string>()
  const rest = known.flatMap((one) => {
    const hosts: string[] = []
    for (const host of one.hosts) {
      if (!follows(host, one)) hosts.push(host)
      // A host with a change of the same kind has that line already.
      else if (followed?.has(one.name) !== true) others.add(host)
    }
    return hosts.length === 0 ? [] : [knownChangeText({ ...one, hosts })]
  })
  const lines = [...own.map(({ line }) => line), ...rest]
  const consequences = [
    ...(followed === undefined ? [] : ['what the other hosts know of it']),
    ...(others.size === 0 ? [] : [`what it knows of ${shortListOf([...others], 8)}`]),
  ]
  return changeLines(
    [...lines, ...consequences.map((line, at) => (lines.length + at === 0 ? line : `and ${line}`))],
    [],
  )
}
