import { isRuntimeSent } from '../runtime/chooseRuntime.ts'
import { StepError } from '../stepError.ts'
import { type Check, ok } from './checkContract.ts'

/** Checks for noexec (mount(8)) on the file system of the install-directory: a Node.js sent there could not run. */
export const noexecCheck: Check = {
  id: 'noexec',
  check: ({ host, facts }) =>
    facts.installation.noexec && isRuntimeSent(host, facts)
      ? [
          new StepError({
            host: host.name,
            code: 'noexec',
            message: `the file system of ${host.installDirectory} is mounted with noexec, so the Node.js that muster sends cannot run there`,
            fix: 'Choose another install-directory, mount that one without noexec, or install a maintained Node.js on the host.',
          }),
        ]
      : [],
  describe: ({ facts }) =>
    ok(
      facts.installation.noexec
        ? "mounted with noexec, but the host's own Node.js is used"
        : 'programs can run there',
    ),
}
