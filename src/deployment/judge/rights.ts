import type { HostConfig } from '../../config/model.ts'
import type { HostFacts } from '../facts/model.ts'
import { servicePlan } from '../service.ts'
import type { StepError } from '../stepError.ts'
import { asRoot, problemsOf } from './problem.ts'

/** Whether there is a systemd where the file asks for one. */
export function judgeServiceManager(host: HostConfig, facts: HostFacts, cluster: string): StepError[] {
  if (servicePlan(host, facts, cluster).manager !== 'systemd' || facts.systemd) return []
  return [
    problemsOf(host)(
      'no-systemd',
      'service-manager is systemd, but systemd is not process 1 there',
      'Leave service-manager at auto, or set it to process.',
    ),
  ]
}

/** Whether the login may run services as the file wants them. */
export function judgeLogin(host: HostConfig, facts: HostFacts, cluster: string): StepError[] {
  if (facts.uid === 0) return []
  const problem = problemsOf(host)
  if (servicePlan(host, facts, cluster).manager === 'systemd') {
    return [
      problem(
        'not-enough-rights',
        `the login is ${facts.login}, and only root may manage systemd services`,
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
