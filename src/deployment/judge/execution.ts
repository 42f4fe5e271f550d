import type { HostConfig } from '../../config/model.ts'
import type { HostFacts } from '../facts/model.ts'
import { isRuntimeSent } from '../runtime/choose.ts'
import type { StepError } from '../stepError.ts'
import { problemsOf } from './problem.ts'

/** Whether a Node.js that is sent there could be run: not from a file system mounted with noexec (mount(8)). */
export function judgeExecution(host: HostConfig, facts: HostFacts): StepError[] {
  if (!facts.installation.noexec || !isRuntimeSent(host, facts)) return []
  return [
    problemsOf(host)(
      'noexec',
      `the file system of ${host.installDirectory} is mounted with noexec, and the Node.js that is sent there could not be run`,
      'Choose another install-directory, mount that one without noexec, or install a maintained Node.js on the host.',
    ),
  ]
}
