import { verifyPassword } from '../../accounts/passwordHash.ts'
import { memberOf } from '../../base/json.ts'
import type { HostConfig } from '../../config/model.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import { userHash } from '../installedUsers.ts'
import type { ServiceSet } from '../services/serviceManager.ts'
import { type ClusterState, trustedAuthorities } from '../state/clusterState.ts'
import type { DesiredUser } from '../target.ts'
import type { VerificationTarget } from '../verifyHost.ts'

/**
 * Returns what to verify on a host as it is installed, whatever its file says today: the listeners in its own
 * settings, and those of the known passwords that match the installed hashes.
 */
export async function installedVerification(options: {
  readonly host: HostConfig
  readonly facts: InstalledFacts
  readonly set: ServiceSet
  readonly state: ClusterState
  /** Passwords of the file by user. */
  readonly given: ReadonlyMap<string, Secret>
}): Promise<VerificationTarget> {
  const users = await Promise.all(options.host.users.map(({ user }) => installedLogin(options, user)))
  return verificationWithUsers({ ...options, users: users.flatMap((user) => user ?? []) })
}

/** Returns the same with the given users, whatever is installed. */
export function verificationWithUsers(options: {
  readonly host: HostConfig
  readonly facts: InstalledFacts
  readonly set: ServiceSet
  readonly state: ClusterState
  readonly users: readonly DesiredUser[]
}): VerificationTarget {
  const { host, facts, set, state, users } = options
  const { chain, settings } = facts.installation
  return {
    cluster: set.cluster,
    layout: set.layout,
    host,
    data: set.data,
    service: { manager: set.manager, ...set.account },
    // Without the cluster's authority (the user's own stores), the host's chain names its authority.
    authorities: [...trustedAuthorities(state), chain].filter((pem) => pem !== undefined),
    users,
    components: set.components.map((component) => ({
      component,
      settings: {
        socket: set.data.socket(component),
        listen: listenOf(settings.get(component)),
      },
    })),
  }
}

async function installedLogin(
  options: {
    readonly facts: InstalledFacts
    readonly state: ClusterState
    readonly given: ReadonlyMap<string, Secret>
  },
  user: string,
): Promise<DesiredUser | undefined> {
  const { facts, state, given } = options
  const password = given.get(user) ?? state.users.get(user)?.password
  const hash = userHash(facts.installation.users, user)
  if (password === undefined || hash === undefined) return undefined
  return (await verifyPassword(password, hash)) ? { user, password } : undefined
}

/** Returns the API's listener from a settings file of any version; null if it has none. */
function listenOf(settings: unknown): ServerSettings['listen'] {
  const listen = memberOf(settings, 'listen')
  const address = memberOf(listen, 'address')
  const port = memberOf(listen, 'port')
  return typeof address === 'string' && typeof port === 'number' ? { address, port } : null
}
