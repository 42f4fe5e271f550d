import type { HostConfig } from '../config/model.ts'
import type { ServiceManagerName } from '../config/settings/serviceManagerNames.ts'
import type { HostFacts, InstalledFacts } from './facts/hostFacts.ts'
import { clusterUser, type Layout, type ServiceData } from './layout.ts'
import type { ServiceAccount } from './serviceAccount.ts'
import {
  automaticManager,
  installedManager,
  serviceData,
  serviceManagers,
} from './services/implementations.ts'

/** Service manager of the components of a host, and the user that they run as. */
export type DesiredService = ServiceAccount & {
  readonly manager: ServiceManagerName
  readonly group: string
  /** True if the user is not the login and must exist or be created. */
  readonly systemUser: boolean
}

/**
 * Decides service manager and user. The user comes from the file, otherwise from the installation, otherwise it is
 * the cluster's own. It is the invoking user without root, and on this machine if the manager needs no root and the
 * file names no user.
 */
export function decideService(
  host: Pick<HostConfig, 'connection' | 'serviceManager' | 'user'>,
  facts: HostFacts,
  cluster: string,
): DesiredService {
  const root = facts.uid === 0
  const manager = host.serviceManager === 'auto' ? automaticManager(facts) : host.serviceManager
  const user = host.user ?? facts.installation.account?.user ?? clusterUser(cluster)
  const ourselves =
    host.connection === 'local' && !serviceManagers[manager].needsRoot && host.user === undefined
  if (!root || ourselves || user === facts.login) {
    return { manager, user: facts.login, group: facts.group, isOther: false, systemUser: false }
  }
  return { manager, user, group: facts.userGroup ?? user, isOther: user !== 'root', systemUser: true }
}

/** Returns the account of an installation's components; the login's own if nothing was started yet. */
export function installedAccount({ uid, installation }: InstalledFacts): ServiceAccount {
  const user = installation.account?.user ?? 'root'
  return { user, isOther: uid === 0 && user !== 'root' }
}

/** Returns the paths of the data of an installation's components. */
export const installedData = (
  facts: InstalledFacts,
  { layout, cluster }: { readonly layout: Layout; readonly cluster: string },
): ServiceData =>
  serviceData(facts.installation.account?.place ?? installedManager(facts), { root: layout.root, cluster })
