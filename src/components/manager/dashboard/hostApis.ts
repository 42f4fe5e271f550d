import { ClientError } from '../../../client/clientError.ts'
import type { Endpoint } from '../../../client/endpoint.ts'
import { readEnvelope, readProblem } from '../../../client/envelope.ts'
import { type ApiResponse, request } from '../../../client/request.ts'
import { fetchServerCertificates } from '../../../client/serverCertificates.ts'
import type { Component } from '../../../contracts/component.ts'
import type { ActionResponse } from '../../../contracts/dashboard.ts'
import { internalUserAgent } from '../../../contracts/route.ts'
import type { DashboardHost, ServerSettings } from '../../../contracts/serverSettings.ts'
import type { DashboardLogin, RelayedCall } from '../../../web/backend.ts'
import { DashboardError, notFound } from '../../../web/dashboardError.ts'
import { managerEndpoint } from '../../managerEndpoint.ts'

/** Settings by which a manager reaches the APIs of all hosts. */
type HostApiSettings = Pick<
  ServerSettings,
  'host' | 'tls' | 'socket' | 'connectorSocket' | 'replicatorSocket'
> & { readonly hosts: readonly DashboardHost[] }

/** APIs of the hosts of the cluster: of this one over their sockets, of others over TLS. */
export type HostApis = {
  /** Host of that name. Throws a `DashboardError`. */
  find(name: string): DashboardHost
  /** Way to an API; undefined where it listens on loopback alone, or is off. May throw a `StartError`. */
  endpoint(host: DashboardHost, component: Component): Endpoint | undefined
  /** Makes a call with a person's login. Rejects with a `DashboardError`. */
  call(login: DashboardLogin, call: RelayedCall): Promise<ActionResponse>
  /** Reads the certificates that a host shows, leaf first; undefined where no API of it can be reached. */
  certificates(host: DashboardHost): Promise<readonly string[]> | undefined
}

/** Milliseconds: a switch may be waited for. */
const timeouts = { call: 20_000, handshake: 5000 }

const unreachable = (detail: string): DashboardError =>
  new DashboardError({ code: 'manager-unreachable', detail })

export function createHostApis(settings: HostApiSettings): HostApis {
  const { hosts, tls } = settings
  const sockets: Readonly<Record<Component, string | undefined>> = {
    manager: settings.socket,
    connector: settings.connectorSocket,
    replicator: settings.replicatorSocket,
  }

  const find = (name: string): DashboardHost => {
    const host = hosts.find((it) => it.name === name)
    if (!host) throw notFound('The cluster has no host of that name.')
    return host
  }

  function endpoint(
    { name, names, channel, apis }: DashboardHost,
    component: Component,
  ): Endpoint | undefined {
    if (name === settings.host) {
      const path = sockets[component]
      return path === undefined ? undefined : { kind: 'socket', path }
    }
    if (component === 'manager') return channel && managerEndpoint({ name, names, ...channel }, tls)
    const listen = apis.find((api) => api.component === component)?.listen
    return listen ? withoutIdentity(managerEndpoint({ name, names, ...listen }, tls)) : undefined
  }

  /** The host's certificate is for the channel alone. */
  function withoutIdentity(to: Endpoint): Endpoint {
    if (to.kind === 'socket') return to
    const { identity: _, ...others } = to
    return others
  }

  async function send(login: DashboardLogin, call: RelayedCall): Promise<ApiResponse> {
    const { user, password } = login
    const to = endpoint(find(call.host), call.component)
    if (!to) {
      const detail =
        `The API of the ${call.component} of ${call.host} cannot be reached from here: it listens on loopback ` +
        'alone, is off, or there is none. Run muster dashboard on your machine.'
      throw unreachable(detail)
    }
    const { method, path, body } = call
    return request({
      ...{ endpoint: to, method, path, credentials: { user, password } },
      ...(body === undefined ? {} : { body }),
      ...{ timeout: timeouts.call, userAgent: `${internalUserAgent}-dashboard` },
    })
  }

  return {
    find,
    endpoint,
    async call(login, call) {
      let response: ApiResponse
      try {
        response = await send(login, call)
      } catch (error) {
        if (error instanceof ClientError) throw unreachable(error.message)
        throw error
      }
      const problem = readProblem(response)
      const { status } = response
      if (problem)
        return { status, code: problem.code ?? 'unexpected', detail: problem.detail ?? problem.title }
      return { status, payload: readEnvelope(response.body)?.payload }
    },
    certificates(host) {
      const listen = host.channel ?? host.apis.find((api) => api.listen)?.listen
      if (!listen) return undefined
      const [servername = host.name] = host.names
      return fetchServerCertificates({ ...listen, servername, timeout: timeouts.handshake })
    },
  }
}
