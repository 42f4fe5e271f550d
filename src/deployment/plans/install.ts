import type { PackedRuntime, SentRuntime } from '../runtime/chooseRuntime.ts'
import { presentData } from '../services/moveData.ts'
import type { Step } from '../step.ts'
import { activateStep } from '../steps/activate.ts'
import { dataStep, oldDataStep } from '../steps/data.ts'
import { directoriesStep } from '../steps/directories.ts'
import { obsoleteStep } from '../steps/obsolete.ts'
import { oldReleasesStep } from '../steps/oldReleases.ts'
import { releaseStep } from '../steps/release.ts'
import { runtimeStep } from '../steps/runtime.ts'
import { servicesStep } from '../steps/services.ts'
import { settingsStep } from '../steps/settings.ts'
import { staleUnitsStep } from '../steps/staleUnits.ts'
import { storesStep } from '../steps/stores.ts'
import { systemUserStep } from '../steps/systemUser.ts'
import { unitsStep } from '../steps/units.ts'
import { usersStep } from '../steps/users.ts'
import type { Target } from '../target.ts'

/**
 * What an installation does on one host, in this order. The user file comes before the first start of a
 * component, so no host is ever without an administrator while it answers (contract.md).
 */
export function installPlan(options: {
  readonly target: Target
  readonly packed: (runtime: SentRuntime) => PackedRuntime | undefined
}): readonly Step[] {
  const { target, packed } = options
  return [
    systemUserStep(target),
    directoriesStep(target),
    runtimeStep(target, packed),
    releaseStep(target),
    dataStep(target),
    storesStep(target),
    settingsStep(target),
    usersStep({
      ...target,
      data: presentData(target),
      account: target.service,
      folder: `${target.layout.releases}/${target.release.id}`,
    }),
    obsoleteStep(target),
    activateStep(target),
    ...staleUnitsStep(target),
    ...unitsStep(target),
    servicesStep(target),
    oldReleasesStep(target),
    oldDataStep(target),
  ]
}
