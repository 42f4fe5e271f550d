import { judgeServiceManager } from '../../judge/rights.ts'
import type { Check } from '../subject.ts'
import { failures, ok, warning } from '../verdict.ts'

/** Whether something starts the components after a reboot. */
export const services: Check = {
  id: 'services',
  judge: ({ host, facts }, { config }) => {
    const processes = host.serviceManager === 'process'
    return failures(
      judgeServiceManager(host, facts, config.cluster),
      facts.systemd || processes
        ? ok(processes ? 'processes, as the file says' : 'systemd')
        : warning(
            'it has no systemd, so the components would run as processes that nothing starts after a reboot',
            'Run `muster start` after a reboot, and say with `service-manager: process` that it is meant so.',
          ),
    )
  },
}
