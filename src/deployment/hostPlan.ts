import { components } from '../contracts/component.ts'
import type { PlannedStep } from './preview.ts'

/** What a run would do on each host, as values: what `plan` shows is what `install` carries out. */
export type HostPlan = {
  readonly host: string
  readonly address: string
  readonly steps: readonly PlannedStep[]
}

/** Text that is the same for two plans of which the same would be said. */
export const stepsText = ({ steps }: HostPlan): string =>
  JSON.stringify(steps.map(({ step, change }) => [step.id, change]))

/** The same text with the name and the address of the host as placeholders, where they stand as words of their own. */
export function stepsTextWithoutNames(plan: HostPlan): string {
  const isComponent = (name: string): boolean => components.some((component) => component === name)
  return [plan.host, plan.address]
    .filter((name) => !isComponent(name))
    .reduce((text, name, index) => {
      const escaped = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
      const word = new RegExp(`(?<![\\w.-])${escaped}(?![\\w-]|\\.\\w)`, 'g')
      return text.replace(word, `\0${index}`)
    }, stepsText(plan))
}
