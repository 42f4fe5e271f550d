import type { PlannedStep } from './preview.ts'

/** What a run would do on each host, as values: what `plan` shows is what `install` carries out. */
export type HostPlan = {
  readonly host: string
  readonly address: string
  readonly steps: readonly PlannedStep[]
}
