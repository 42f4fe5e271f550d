import { decideService } from '../desiredService.ts'
import { automaticManager, serviceManagers } from '../services/implementations.ts'
import { StepError } from '../stepError.ts'
import { type Check, ok, warning } from './checkContract.ts'

/** Checks the service manager that starts the components, also after a reboot. */
export const servicesCheck: Check = {
  id: 'services',
  check: ({ cluster, host, facts }) => {
    const why = serviceManagers[decideService(host, facts, cluster).manager].unavailable(facts)
    return why === undefined ? [] : [new StepError({ host: host.name, ...why })]
  },
  describe: ({ host, facts }) => {
    const asked = host.serviceManager === 'auto' ? undefined : host.serviceManager
    const manager = asked ?? automaticManager({ ...facts, uid: 0 })
    if (serviceManagers[manager].startsAtBoot) return ok(manager)
    if (asked !== undefined) return ok('processes, as set in the file')
    return warning(
      'it has no systemd, so the components would run as processes that do not start after a reboot',
      'Run `muster start` after a reboot, and set `service-manager: process` to accept this.',
    )
  },
}
