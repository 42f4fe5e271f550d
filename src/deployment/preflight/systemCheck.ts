import type { HostFacts } from '../facts/hostFacts.ts'
import { isRuntimeSent } from '../runtime/chooseRuntime.ts'
import { pinnedRuntime } from '../runtime/pinnedRuntime.ts'
import { StepError } from '../stepError.ts'
import { type Check, failure, ok, type Subject } from './checkContract.ts'

/** Returns true for a kernel and a processor that the components run on. */
export const isSupported = ({ kernel, machine }: HostFacts): boolean =>
  kernel === 'Linux' && ['x86_64', 'aarch64'].includes(machine)

/** Checks operating system, processor, and the C library that a sent Node.js needs. */
export const systemCheck: Check = {
  id: 'system',
  check: ({ host, facts }) =>
    isSupported(facts)
      ? []
      : [
          new StepError({
            host: host.name,
            code: 'unsupported-system',
            message: `unsupported system: ${facts.kernel} on ${facts.machine}`,
            fix: 'Use a host with Linux on x86_64 or aarch64.',
          }),
        ],
  describe: (subject) => {
    const { facts, observed } = subject
    if (isLibraryTooOld(subject)) {
      return failure(
        `its C library is ${observed.libc}, but the Node.js ${pinnedRuntime.version} that muster sends needs glibc ${oldestGlibc.join('.')} or newer`,
        "Install a maintained Node.js from the distribution's own packages there, and keep runtime at auto.",
      )
    }
    const words = [facts.os || facts.kernel, facts.machine, observed.libc]
    return ok(words.filter((word) => word !== undefined).join(', '))
  },
}

/** Oldest GNU C library for Node.js's own binaries (Node.js, BUILDING.md, "Platform list"). */
const oldestGlibc = [2, 28] as const

function isLibraryTooOld({ host, facts, observed: { libc } }: Subject): boolean {
  if (libc === undefined || !isRuntimeSent(host, facts)) return false
  const [, major, minor] = /^glibc (\d+)\.(\d+)/.exec(libc)?.map(Number) ?? []
  if (major === undefined || minor === undefined) return true
  return major < oldestGlibc[0] || (major === oldestGlibc[0] && minor < oldestGlibc[1])
}
