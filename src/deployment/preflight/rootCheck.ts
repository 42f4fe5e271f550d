import { isReachedLocally } from '../../config/model.ts'
import { decideService } from '../desiredService.ts'
import { automaticManager, serviceManagers } from '../services/implementations.ts'
import { StepError } from '../stepError.ts'
import { type Candidate, type Check, ok, warning } from './checkContract.ts'

/** Checks that the login is root if the file asks for systemd or for another user. */
export const rootCheck: Check = {
  id: 'root',
  check: ({ cluster, host, facts }) => {
    if (facts.uid === 0) return []
    const refuse = (need: string, fix: string): readonly StepError[] => {
      const message = `the login is ${facts.login}, but only root can ${need}`
      return [new StepError({ host: host.name, code: 'not-enough-rights', message, fix })]
    }
    const { manager } = decideService(host, facts, cluster)
    if (serviceManagers[manager].needsRoot) {
      return refuse(
        `manage ${manager} services`,
        `${howToGetRoot(host)}, or set \`service-manager: process\`.`,
      )
    }
    if (host.user === undefined || host.user === facts.login) return []
    return refuse(`run services as ${host.user}`, `${howToGetRoot(host)}, or remove \`user\`.`)
  },
  describe: ({ cluster, host, facts }) => {
    if (facts.uid === 0) return ok('root')
    const { manager, user } = decideService(host, facts, cluster)
    if (host.serviceManager !== 'auto' || automaticManager({ ...facts, uid: 0 }) === manager) {
      return ok(`not root; root is not needed to run processes as ${user}`)
    }
    return warning(
      `the login ${facts.login} is not root, so the components would run as processes that do not start after a reboot`,
      `${howToGetRoot(host)}, or set \`service-manager: process\` to accept this.`,
    )
  },
}

/** Returns how a login of the host gets root's rights; the start of a sentence. */
export const howToGetRoot = (host: Candidate['host']): string =>
  isReachedLocally(host)
    ? 'Run muster with sudo'
    : 'Set `ssh: { become: true }` for a login that can use sudo, or `ssh: { user: root }`'
