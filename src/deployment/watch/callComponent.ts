import type { CallResult } from '../../client/call.ts'
import type { Credentials } from '../../client/credentials.ts'
import type { Component } from '../../contracts/component.ts'
import type { RouteCall } from '../../contracts/routeCall.ts'
import { callHost } from '../callHost.ts'
import { installedAccount, installedData } from '../desiredService.ts'
import { layoutOf } from '../layout.ts'
import type { SurveyedHost } from '../survey.ts'

/** One call of a component's API in the name of an API user. */
export type ComponentCall = RouteCall & {
  readonly component: Component
  readonly login: Credentials
  /** Milliseconds. */
  readonly timeout: number
}

/** A component that the host does not have. */
export class NoComponentError extends Error {}

/**
 * Calls a component of a surveyed host at its configured address, verified by the authorities of the cluster, or over its
 * socket where the API is off. Rejects with a `NoComponentError`, a `TransportError` or a `StepError`.
 */
export async function callComponent(
  { host, transport, facts }: SurveyedHost,
  call: ComponentCall & { readonly cluster: string; readonly authorities: readonly string[] },
): Promise<CallResult> {
  const { component, login, timeout, cluster, authorities, ...made } = call
  const api = host.apis.find((one) => one.component === component)
  if (api === undefined || facts.installation.currentRelease === undefined) {
    throw new NoComponentError(`${host.name} has no ${component}`)
  }
  const layout = layoutOf(host.installDirectory)
  const target = api.enabled
    ? { address: api.address, port: api.port, authorities }
    : { socket: installedData(facts, { layout, cluster }).socket(component) }
  const [result] = await callHost({
    transport,
    layout,
    account: installedAccount(facts),
    requests: [
      {
        ...made,
        ...{ id: component, target, timeout },
        credentials: { user: login.user, password: login.password.reveal() },
      },
    ],
    timeout: timeout * 2,
    running: true,
  })
  return (
    result ?? { id: component, error: { code: 'bad-answer', message: `${host.name} returned no result` } }
  )
}
