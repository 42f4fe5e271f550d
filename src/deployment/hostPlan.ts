import { components } from '../contracts/component.ts'
import type { Transport } from '../transport/transport.ts'
import type { InstalledFacts } from './facts/hostFacts.ts'
import type { Step, StepChange } from './step.ts'

/** Step that would change something, bound to the facts that its check got. */
export type PlannedStep = {
  readonly step: Omit<Step, 'check' | 'apply'> & {
    readonly apply: (transport: Transport) => Promise<void>
  }
  readonly change: StepChange
}

/** Returns what a plan would do on one host. It runs only checks, so a preview changes nothing and matches the run. */
export function preview<Facts extends InstalledFacts>(
  steps: readonly Step<Facts>[],
  facts: Facts,
): PlannedStep[] {
  return steps.flatMap((step) => {
    const change = step.check(facts)
    if (change === undefined) return []
    return [{ step: { ...step, apply: (transport: Transport) => step.apply(transport, facts) }, change }]
  })
}

/** Planned changes of one host, as values: `install` executes exactly what `plan` shows. */
export type HostPlan = {
  readonly host: string
  readonly address: string
  readonly steps: readonly PlannedStep[]
}

/** Returns a text that is equal for plans with equal output. */
export const stepsText = ({ steps }: HostPlan): string =>
  JSON.stringify(steps.map(({ step, change }) => [step.id, change]))

/** Returns a text that is equal for plans with equal output except for each host's name and address. */
export const stepsTextWithoutNames = (plan: HostPlan): string => withoutNames(plan, stepsText(plan))

/** Replaces the name and the address of the host by placeholders, if they stand as separate words. */
export function withoutNames({ host, address }: Pick<HostPlan, 'host' | 'address'>, text: string): string {
  const isComponent = (name: string): boolean => components.some((component) => component === name)
  return [host, address]
    .filter((name) => !isComponent(name))
    .reduce((rest, name, index) => {
      const escaped = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
      const word = new RegExp(`(?<![\\w.-])${escaped}(?![\\w-]|\\.\\w)`, 'g')
      return rest.replace(word, `\0${index}`)
    }, text)
}
