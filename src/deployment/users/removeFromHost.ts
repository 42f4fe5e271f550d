import type { HostWork } from '../execution/hostRun.ts'
import type { InstalledFacts } from '../facts/model.ts'
import { installedSet } from '../installedSet.ts'
import { layoutOf } from '../layout.ts'
import { preview } from '../preview.ts'
import { installedProvable } from '../releases/provable.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { StepError } from '../stepError.ts'
import { removedUsersStep } from '../steps/removedUsers.ts'
import type { SurveyedHost } from '../survey.ts'
import { installedUsers } from '../users.ts'
import { verifyHost } from '../verify.ts'
import { restoreUsers } from './takeBack.ts'

/**
 * Takes a user off one host and proves that no component there knows it any more; nothing is restarted. A host that
 * would be left without any user is a `StepError`, as the API itself answers 409 then (contract.md).
 */
export function removeFromHost(options: {
  readonly cluster: string
  readonly surveyed: SurveyedHost<InstalledFacts>
  readonly state: ClusterState
  readonly user: string
}): (HostWork & { readonly address: string }) | StepError {
  const { cluster, surveyed, state, user } = options
  const { host, facts, transport } = surveyed
  const work = { host: host.name, address: host.address, transport }
  if (facts.installation.manifest === undefined) {
    return { ...work, steps: [], verify: () => Promise.resolve('nothing is installed there') }
  }
  const names = installedUsers(facts.installation.users).map((one) => one.user)
  if (names.length === 1 && names[0] === user) {
    return new StepError({
      host: host.name,
      code: 'last-user',
      message: `${user} is the only user of the host: without it, no login is possible`,
      fix: 'Add another user to the file and run `muster users apply` first.',
    })
  }
  const layout = layoutOf(host.installDirectory)
  const set = installedSet({ cluster, layout, facts })
  const common = { data: set.data, account: set.account, folder: layout.current }
  const step = removedUsersStep({ ...common, names: [user] })
  const runs = set.components.filter((name) => facts.services.get(name)?.state === 'running')
  const apis = installedProvable({ host, facts, set: { ...set, components: runs }, state, users: [] })
  return {
    ...work,
    steps: preview([step], facts),
    snapshot: { restoreSteps: restoreUsers({ ...common, facts, removed: [user] }) },
    verify: async () => {
      if (runs.length === 0) return 'no component is running'
      await verifyHost(transport, { ...apis, running: true, gone: [user] })
      return `removed from every API`
    },
  }
}
