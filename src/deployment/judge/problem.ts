import { isReachedLocally } from '../../config/isReachedLocally.ts'
import type { HostConfig } from '../../config/model.ts'
import { StepError } from '../stepError.ts'

/** Says what stands in the way of an installation on a host: a code, a sentence, and the fix. */
export type TellProblem = (code: string, message: string, fix: string) => StepError

/** Problems of one host. */
export const problemsOf =
  (host: HostConfig): TellProblem =>
  (code, message, fix) =>
    new StepError({ host: host.name, code, message, fix })

/** How a login of the host gets root's rights; the start of a sentence. */
export const asRoot = (host: HostConfig): string =>
  isReachedLocally(host)
    ? 'Run muster with sudo'
    : 'Set `ssh: { become: true }` for a login that may use sudo, or `ssh: { user: root }`'
