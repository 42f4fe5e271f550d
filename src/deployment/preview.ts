import type { Transport } from '../transport/transport.ts'
import type { InstalledFacts } from './facts/model.ts'
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
