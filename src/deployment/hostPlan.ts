import { components } from '../contracts/component.ts'
import type { Transport } from '../transport/transport.ts'
import type { InstalledFacts } from './facts/hostFacts.ts'
import type { Step, StepChange } from './step.ts'

/** A step that would change something, and what. It is bound to the facts that its check got. */
export type PlannedStep = {
  readonly step: Omit<Step, 'check' | 'apply'> & {
    readonly apply: (transport: Transport) => Promise<void>
  }
  readonly change: StepChange
}

/** What a plan would do on one host. Only checks run here, so a preview cannot lie and cannot change. */
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

/** What a run would do on each host, as values: what `plan` shows is what `install` carries out. */
export type HostPlan = {
  readonly host: string
  readonly address: string
  readonly steps: readonly PlannedStep[]
}

/** Text that is the same for two plans of which the same would be said. */
export const stepsText = ({ steps }: HostPlan): string =>
  JSON.stringify(steps.map(({ step, change }) => [step.id, change]))

/** The same text for two plans of which the same would be said but for each host's own name and address. */
export const stepsTextWithoutNames = (plan: HostPlan): string => withoutNames(plan, stepsText(plan))

/** Text with the name and the address of its host as placeholders, where they stand as words of their own. */
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
