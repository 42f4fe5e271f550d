import type { HostConfig } from '../config/model.ts'
import type { HostFacts } from './facts/model.ts'

/** How the components of a host run, and as whom. */
export type ServicePlan = {
  readonly manager: 'systemd' | 'process'
  readonly user: string
  readonly group: string
  /** Whether the user is somebody else than the login, who must then exist or be created. */
  readonly systemUser: boolean
}

/** The system user that a host's services would run as with root's rights (options.md, `user`). */
export const systemUserOf = (host: HostConfig): string => host.user ?? 'muster'

/**
 * Decides service manager and user: systemd where it is process 1 and we are root, else a process.
 * Without root, and for a process on this machine that names no user, it is the invoking user.
 */
export function servicePlan(host: HostConfig, facts: HostFacts): ServicePlan {
  const root = facts.uid === 0
  const manager =
    host.serviceManager === 'auto' ? (root && facts.systemd ? 'systemd' : 'process') : host.serviceManager
  const user = systemUserOf(host)
  const ourselves = host.connection === 'local' && manager === 'process' && host.user === undefined
  if (!root || ourselves || user === facts.login) {
    return { manager, user: facts.login, group: facts.group, systemUser: false }
  }
  return { manager, user, group: facts.userGroup ?? user, systemUser: true }
}
