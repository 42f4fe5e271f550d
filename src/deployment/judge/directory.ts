import type { HostConfig } from '../../config/model.ts'
import type { HostFacts } from '../facts/model.ts'
import { servicePlan } from '../service.ts'
import { serviceData } from '../services/implementations.ts'
import type { StepError } from '../stepError.ts'
import { asRoot, problemsOf } from './problem.ts'

/** Bytes that a host must have free: a runtime, its packed form and two releases. */
export const neededBytes = 300 * 1024 * 1024

/** Bytes of a Unix socket's path (unix(7): sun_path has 108, one of them the final NUL). */
const longestSocket = 107

const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MiB`

/** How much room there is, as a sentence. */
export const roomIn = (host: HostConfig, facts: HostFacts): string =>
  `${host.installDirectory} has ${mebibytes(facts.installation.freeBytes)} free`

/** Whether the login may write to the install-directory. */
export function judgeWritable(host: HostConfig, facts: HostFacts): StepError[] {
  if (facts.installation.writable) return []
  const problem = problemsOf(host)
  const message = `${facts.login} may not write to ${host.installDirectory}`
  return [
    facts.uid === 0
      ? problem(
          'not-enough-rights',
          `${message}: a part of that path is a file, or its file system is read-only`,
          'Choose another install-directory.',
        )
      : problem(
          'not-enough-rights',
          message,
          `${asRoot(host)}, or choose an install-directory that ${facts.login} may write to.`,
        ),
  ]
}

/** Whether a first installation has room; what is installed already has taken its own. */
export function judgeRoom(host: HostConfig, facts: HostFacts): StepError[] {
  const { manifest, freeBytes } = facts.installation
  if (manifest !== undefined || freeBytes >= neededBytes) return []
  return [
    problemsOf(host)(
      'disk-full',
      `${roomIn(host, facts)}, and ${mebibytes(neededBytes)} are needed`,
      'Make room there, or choose another install-directory.',
    ),
  ]
}

/** Problem of sockets whose path is longer than Linux allows. */
export function judgeSocketPath(host: HostConfig, facts: HostFacts, cluster: string): StepError[] {
  const { manager } = servicePlan(host, facts, cluster)
  const socket = serviceData(manager, { root: host.installDirectory, cluster }).socket('replicator')
  const length = Buffer.byteLength(socket)
  if (length <= longestSocket) return []
  return [
    problemsOf(host)(
      'path-too-long',
      `the path of a Unix socket there, ${socket}, has ${length} bytes, and Linux allows ${longestSocket}`,
      'Choose a shorter install-directory.',
    ),
  ]
}
