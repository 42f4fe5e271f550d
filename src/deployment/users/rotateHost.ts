import type { Secret } from '../../secrets/secret.ts'
import type { HostWork } from '../execution/hostRun.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import { preview } from '../hostPlan.ts'
import { installedSet } from '../installedSet.ts'
import { layoutOf } from '../layout.ts'
import { verificationWithUsers } from '../releases/installedVerification.ts'
import { restoreUsers } from '../snapshot/userRestore.ts'
import { type ClusterState, type UserState, withUser } from '../state/clusterState.ts'
import { afterVerifiedRun } from '../state/passwordRotation.ts'
import { usersStep } from '../steps/usersStep.ts'
import type { SurveyedHost } from '../survey.ts'
import { verifyHost } from '../verifyHost.ts'

/**
 * Runs a rotation in the only order that loses no login: the state has the new and the old password before `run`
 * changes a host, and drops the old one only after every host that must have the user is verified. After a crash the
 * next run continues from the state. Returns the hosts that are not verified.
 */
export async function runRotation(options: {
  readonly user: string
  readonly state: ClusterState
  /** Entry of the user from now on; see `beginRotation`. */
  readonly next: UserState
  /** True if the file gives the new password everywhere. */
  readonly given: boolean
  /** All hosts whose file names the user, including excluded ones. */
  readonly hosts: readonly string[]
  readonly save: (before: ClusterState, after: ClusterState) => Promise<unknown>
  /** Changes and verifies hosts; returns the verified ones. */
  readonly run: () => Promise<readonly string[]>
}): Promise<readonly string[]> {
  const { user, state, next, given, hosts, save, run } = options
  const during = withUser(state, user, next)
  await save(state, during)
  const proved = await run()
  const behind = hosts.filter((host) => !proved.includes(host))
  if (behind.length === 0) await save(during, afterVerifiedRun(during, [{ user, given }]))
  return behind
}

/** New login of a user for every host. */
export type NewLogin = {
  readonly user: string
  readonly password: Secret
  /** PHC string. */
  readonly hash: string
  /** Passwords that no host may accept afterwards. */
  readonly previous: readonly Secret[]
}

/**
 * Changes a password on one host by one atomic write of its user file, which running components notice at once: the
 * host accepts the old password until then and the new one afterwards. Verifies that every API accepts the new one
 * and no old one. A stopped component accepts nobody, nor does a host without an installation.
 */
export function rotateHost(options: {
  readonly cluster: string
  readonly surveyed: SurveyedHost<InstalledFacts>
  readonly state: ClusterState
  readonly login: NewLogin
}): HostWork & { readonly address: string } {
  const { cluster, surveyed, state, login } = options
  const { host, facts, transport } = surveyed
  const work = { host: host.name, address: host.address, transport }
  if (facts.installation.manifest === undefined) {
    return { ...work, steps: [], verify: () => Promise.resolve('nothing is installed there') }
  }
  const layout = layoutOf(host.installDirectory)
  const set = installedSet({ cluster, layout, facts })
  const { previous, ...desired } = login
  const common = { data: set.data, account: set.account, folder: layout.current, users: [desired] }
  const step = usersStep({ ...common, throughComponents: true })
  const runs = set.components.filter((name) => facts.services.get(name)?.state === 'running')
  const verifyLogins = (old: Secret | undefined): Promise<string> => {
    const users = [{ ...desired, ...(old && { previous: old }) }]
    const running = { ...set, components: runs }
    const apis = verificationWithUsers({ host, facts, set: running, state, users })
    return verifyHost(transport, { ...apis, running: true })
  }
  return {
    ...work,
    steps: preview([step], facts),
    snapshot: { restoreSteps: restoreUsers({ ...common, facts }) },
    verify: async () => {
      if (runs.length === 0) return 'no login verified: no component is running'
      const [first, ...others] = previous
      const summary = await verifyLogins(first)
      // More than one only if a rotation started before the last one ended.
      for (const old of others) await verifyLogins(old)
      return summary
    },
  }
}
