import type { PackedRuntime, SentRuntime } from '../runtime/chooseRuntime.ts'
import { currentData } from '../services/moveData.ts'
import type { Step } from '../step.ts'
import { activateStep } from '../steps/activateStep.ts'
import { dataStep, oldDataStep } from '../steps/dataStep.ts'
import { directoriesStep } from '../steps/directoriesStep.ts'
import { obsoleteStep } from '../steps/obsoleteStep.ts'
import { oldReleasesStep } from '../steps/oldReleasesStep.ts'
import { releaseStep } from '../steps/releaseStep.ts'
import { removedUsersStep } from '../steps/removedUsersStep.ts'
import { runtimeStep } from '../steps/runtimeStep.ts'
import { servicesStep } from '../steps/servicesStep.ts'
import { settingsStep } from '../steps/settingsStep.ts'
import { staleUnitsStep } from '../steps/staleUnitsStep.ts'
import { storesStep } from '../steps/storesStep.ts'
import { systemUserStep } from '../steps/systemUserStep.ts'
import { unitsStep } from '../steps/unitsStep.ts'
import { usersStep } from '../steps/usersStep.ts'
import type { StepTarget } from '../target.ts'

/**
 * Returns the steps of an installation on one host, in this order. The user file is written before the first start of
 * a component, so a host that responds always has an administrator (contract.md).
 */
export function installPlan(options: {
  readonly target: StepTarget
  readonly packed: (runtime: SentRuntime) => PackedRuntime | undefined
}): readonly Step[] {
  const { target, packed } = options
  const userFile = {
    data: currentData(target),
    account: target.service,
    folder: `${target.layout.releases}/${target.release.id}`,
  }
  return [
    systemUserStep(target),
    directoriesStep(target),
    runtimeStep(target, packed),
    releaseStep(target),
    dataStep(target),
    storesStep(target),
    settingsStep(target),
    usersStep({ ...target, ...userFile }),
    removedUsersStep({ ...userFile, names: target.removedUsers ?? [] }),
    obsoleteStep(target),
    activateStep(target),
    ...staleUnitsStep(target),
    ...unitsStep(target),
    servicesStep(target),
    oldReleasesStep(target),
    oldDataStep(target),
  ]
}
