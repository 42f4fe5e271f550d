import { isObject } from '../../base/json.ts'
import type { CallRequest, CallResult } from '../../client/call.ts'
import { envelope, readEnvelope } from '../../client/envelope.ts'
import type { HostConfig } from '../../config/model.ts'
import { commonRoutes } from '../../contracts/commonRoutes.ts'
import type { Component } from '../../contracts/component.ts'
import { guardParameter } from '../../contracts/route.ts'
import type { Transport } from '../../transport/transport.ts'
import { callHost } from '../callHost.ts'
import type { ServiceSet } from '../services/serviceManager.ts'
import { StepError } from '../stepError.ts'

/** Milliseconds that a component has for it. */
const timeout = 10_000

/**
 * Ends the lock-outs of a user name in every component of a host, over their private sockets, where nobody is ever
 * locked out. Returns the components that had any; rejects with a `StepError` where one did not answer.
 */
export async function unlockOnHost(
  transport: Transport,
  { host, set, user }: { readonly host: HostConfig; readonly set: ServiceSet; readonly user: string },
): Promise<readonly Component[]> {
  const { method, path } = commonRoutes.unlock
  const requests = host.apis.map(
    ({ component }): CallRequest => ({
      id: component,
      method,
      path: `${path}?${guardParameter}=true`,
      target: { socket: set.data.socket(component) },
      timeout,
      body: envelope('StringPayload', { value: user }),
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
