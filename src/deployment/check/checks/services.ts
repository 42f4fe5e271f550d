import { judgeServiceManager } from '../../judge/rights.ts'
import { automaticManager, serviceManagers } from '../../services/implementations.ts'
import type { Check } from '../subject.ts'
import { failures, ok, warning } from '../verdict.ts'

/** Whether something starts the components after a reboot. */
export const services: Check = {
  id: 'services',
  judge: ({ host, facts }, { config }) => {
    const asked = host.serviceManager === 'auto' ? undefined : host.serviceManager
    const manager = asked ?? automaticManager({ ...facts, uid: 0 })
    return failures(
      judgeServiceManager(host, facts, config.cluster),
      serviceManagers[manager].startsAtBoot || asked !== undefined
        ? ok(serviceManagers[manager].startsAtBoot ? manager : 'processes, as the file says')
        : warning(
            'it has no systemd, so the components would run as processes that nothing starts after a reboot',
            'Run `muster start` after a reboot, and say with `service-manager: process` that it is meant so.',
          ),
    )
  },
}
