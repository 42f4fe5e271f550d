import type { HostConfig } from '../../config/model.ts'
import type { HostFacts } from '../facts/model.ts'
import type { StepError } from '../stepError.ts'
import { problemsOf } from './problem.ts'

/** Whether the components run on this kind of system at all. */
export function judgeSystem(host: HostConfig, facts: HostFacts): StepError[] {
  if (facts.kernel === 'Linux' && ['x86_64', 'aarch64'].includes(facts.machine)) return []
  return [
    problemsOf(host)(
      'unsupported-system',
      `the host is ${facts.kernel} on ${facts.machine}`,
      'The components run on Linux, on x86_64 and aarch64.',
    ),
  ]
}
