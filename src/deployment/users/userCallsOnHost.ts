import { losesLastFullUser, removeUser, type UserFile } from '../../accounts/userFile.ts'
import { isObject } from '../../base/json.ts'
import type { CallRequest, CallResult } from '../../client/call.ts'
import { readEnvelope } from '../../client/envelope.ts'
import type { HostConfig } from '../../config/model.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import type { Component } from '../../contracts/component.ts'
import { callOf } from '../../contracts/routeCall.ts'
import type { Transport } from '../../transport/transport.ts'
import { callHost } from '../callHost.ts'
import type { HostWork } from '../execution/hostRun.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import { preview } from '../hostPlan.ts'
import { installedSet } from '../installedSet.ts'
import { installedUsers } from '../installedUsers.ts'
import { layoutOf } from '../layout.ts'
import { verificationWithUsers } from '../releases/installedVerification.ts'
import type { ServiceSet } from '../services/serviceManager.ts'
import { restoreUsers } from '../snapshot/userRestore.ts'
import type { ClusterState } from '../state/clusterState.ts'
import { StepError } from '../stepError.ts'
import { removedUsersStep } from '../steps/removedUsersStep.ts'
import type { SurveyedHost } from '../survey.ts'
import { verifyHost } from '../verifyHost.ts'

/** Milliseconds for one component. */
const timeout = 10_000

/**
 * Ends the lock-outs of a user name in every component of a host, over their private sockets, where lock-outs do not
 * apply. Returns the components that had any; rejects with a `StepError` if one did not respond.
 */
export async function unlockOnHost(
  transport: Transport,
  { host, set, user }: { readonly host: HostConfig; readonly set: ServiceSet; readonly user: string },
): Promise<readonly Component[]> {
  const unlock = callOf(commonRoutes.unlock, {}, { payload: { value: user } })
  const requests = host.apis.map(
    ({ component }): CallRequest => ({
      ...unlock,
      id: component,
      target: { socket: set.data.socket(component) },
      timeout,
    }),
  )
  const results = await callHost({ ...set, transport, requests, timeout: 2 * timeout, running: true })
  return host.apis.flatMap(({ component }) => {
    const result = results.find(({ id }) => id === component)
    const changed = changedOf(result)
    if (changed === undefined) throw failure(host, component, result)
    return changed ? [component] : []
  })
}

function changedOf(result: CallResult | undefined): boolean | undefined {
  if (result === undefined || !('status' in result) || result.status !== 200) return undefined
  const payload = readEnvelope(result.body)?.payload
  return isObject(payload) && typeof payload.changed === 'boolean' ? payload.changed : undefined
}

function failure(host: HostConfig, component: Component, result: CallResult | undefined): StepError {
  const isOld = result !== undefined && 'status' in result && result.status === 404
  const said =
    result === undefined
      ? 'gave no answer'
      : 'error' in result
        ? `gave no answer (${result.error.code})`
        : `answered ${result.status}`
  return new StepError({
    host: host.name,
    code: 'step-failed',
    message: `the ${component} ${isOld ? 'runs a release that cannot unlock users' : `${said} when asked to unlock the user`}`,
    fix: isOld
      ? 'Run `muster upgrade`, or `muster restart` to unlock all users.'
      : 'See `muster status`, or run `muster restart` to unlock all users.',
  })
}

/**
 * Removes a user from one host and verifies that no component there accepts it any more; restarts nothing. Rejects
 * with a `StepError` for the last user of a host, for which the API returns 409 (contract.md).
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
  const file: UserFile = { version: 1, users: installedUsers(facts.installation.users) }
  if (losesLastFullUser(file, removeUser(file, user))) {
    return new StepError({
      host: host.name,
      code: 'last-user',
      message:
        file.users.length === 1
          ? `${user} is the only user of the host: without it, no login is possible`
          : `${user} is the only user of the host with the access level full: without it, nobody can change users there`,
      fix: 'Give the file another user with the access level full and run `muster users apply` first.',
    })
  }
  const layout = layoutOf(host.installDirectory)
  const set = installedSet({ cluster, layout, facts })
  const common = { data: set.data, account: set.account, folder: layout.current }
  const step = removedUsersStep({ ...common, names: [user] })
  const runs = set.components.filter((name) => facts.services.get(name)?.state === 'running')
  const apis = verificationWithUsers({ host, facts, set: { ...set, components: runs }, state, users: [] })
  return {
    ...work,
    steps: preview([step], facts),
    snapshot: { restoreSteps: restoreUsers({ ...common, facts, removed: [user] }) },
    verify: async () => {
      if (runs.length === 0) return 'no component is running'
      await verifyHost(transport, { ...apis, running: true, removedUsers: [user] })
      return `removed from every API`
    },
  }
}
