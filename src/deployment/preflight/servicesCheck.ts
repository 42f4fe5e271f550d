import { servicePlan } from '../service.ts'
import { StepError } from '../stepError.ts'
import { type Check, ok, warning } from './checkContract.ts'

/** Service manager that starts the components, also after a reboot. */
export const servicesCheck: Check = {
  id: 'services',
  check: ({ cluster, host, facts }) =>
    facts.systemd || servicePlan(host, facts, cluster).manager !== 'systemd'
      ? []
      : [
          new StepError({
            host: host.name,
            code: 'no-systemd',
            message: 'service-manager is systemd, but systemd is not process 1 there',
            fix: 'Leave service-manager at auto, or set it to process.',
          }),
        ],
  describe: ({ host, facts }) => {
    if (host.serviceManager === 'process') return ok('processes, as the file says')
    if (facts.systemd) return ok('systemd')
    return warning(
      'it has no systemd, so the components would run as processes that nothing starts after a reboot',
      'Run `muster start` after a reboot, and say with `service-manager: process` that it is meant so.',
    )
  },
}
