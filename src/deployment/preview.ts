import type { InstalledFacts } from './facts/model.ts'
import type { Step, StepChange } from './step.ts'

/** A step that would change something, and what. */
export type PlannedStep = { readonly step: Omit<Step, 'check'>; readonly change: StepChange }

/** What a plan would do on one host. Only checks run here, so a preview cannot lie and cannot change. */
export function preview<Facts extends InstalledFacts>(
  steps: readonly Step<Facts>[],
  facts: Facts,
): PlannedStep[] {
  return steps.flatMap((step) => {
    const change = step.check(facts)
    return change === undefined ? [] : [{ step, change }]
  })
}
