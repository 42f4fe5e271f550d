import { asRoot } from '../../judge/problem.ts'
import { judgeLogin } from '../../judge/rights.ts'
import { servicePlan } from '../../service.ts'
import { automaticManager } from '../../services/implementations.ts'
import type { Check } from '../subject.ts'
import { failures, ok, warning } from '../verdict.ts'

/** Whether the login has the rights that the file asks for. */
export const root: Check = {
  id: 'root',
  judge: ({ host, facts }, { config }) => {
    const { manager, user } = servicePlan(host, facts, config.cluster)
    const isRoot = facts.uid === 0
    const unasked = host.serviceManager === 'auto' && automaticManager({ ...facts, uid: 0 }) !== manager
    return failures(
      judgeLogin(host, facts, config.cluster),
      unasked
        ? warning(
            `the login ${facts.login} is not root, so the components would run as processes that nothing starts after a reboot`,
            `${asRoot(host)}, or say with \`service-manager: process\` that it is meant so.`,
          )
        : ok(isRoot ? 'root' : `not root, which is not needed to run processes as ${user}`),
    )
  },
}
