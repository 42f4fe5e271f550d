import type { HostConfig } from '../../config/model.ts'
import type { HostFacts } from '../facts/model.ts'
import { servicePlan } from '../service.ts'
import { serviceManagers } from '../services/implementations.ts'
import type { StepError } from '../stepError.ts'
import { asRoot, problemsOf } from './problem.ts'

/** Returns why the service manager of the file cannot be used there. */
export function judgeServiceManager(host: HostConfig, facts: HostFacts, cluster: string): StepError[] {
  const why = serviceManagers[servicePlan(host, facts, cluster).manager].unavailable(facts)
  return why === undefined ? [] : [problemsOf(host)(why.code, why.message, why.fix)]
}

/** Whether the login may run services as the file wants them. */
export function judgeLogin(host: HostConfig, facts: HostFacts, cluster: string): StepError[] {
  if (facts.uid === 0) return []
  const problem = problemsOf(host)
  const { manager } = servicePlan(host, facts, cluster)
  if (serviceManagers[manager].needsRoot) {
    return [
      problem(
        'not-enough-rights',
        `the login is ${facts.login}, and only root may manage ${manager} services`,
        `${asRoot(host)}, or set \`service-manager: process\`.`,
      ),
    ]
  }
  if (host.user === undefined || host.user === facts.login) return []
  return [
    problem(
      'not-enough-rights',
      `the login is ${facts.login}, and only root may run services as ${host.user}`,
      `${asRoot(host)}, or leave out \`user\`.`,
    ),
  ]
}
