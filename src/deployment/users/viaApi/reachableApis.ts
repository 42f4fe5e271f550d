import { isLoopback, isWildcard } from '../../../base/address.ts'
import { listOf } from '../../../base/words.ts'
import type { Endpoint } from '../../../client/endpoint.ts'
import type { ApiConfig, HostConfig } from '../../../config/model.ts'
import type { Transport } from '../../../transport/transport.ts'
import { StepError } from '../../stepError.ts'
import type { HostApi } from './apiHost.ts'

/** Returns a transport for runs that use only APIs; their steps never call it. */
export function apiOnlyTransport(host: string): Transport {
  const never = (): Promise<never> =>
    Promise.reject(new Error('a run that uses only APIs tried to use a shell'))
  return { host, run: never, upload: never, close: () => Promise.resolve() }
}

/**
 * Returns the APIs of a host that this machine can call; `here` is true if the host is this machine. Skips remote
 * loopback listeners if another API of the host shares the user file; a host without a reachable API is a
 * `StepError`.
 */
export function reachableApis(options: {
  readonly host: HostConfig
  readonly here: boolean
  readonly authorities: readonly string[]
}): { readonly apis: readonly HostApi[]; readonly closed: readonly ApiConfig[] } | StepError {
  const { host, here } = options
  const open = host.apis.filter(({ enabled }) => enabled)
  const callable = open.filter(({ address }) => here || !isLoopback(address))
  const closed = open.filter((api) => !callable.includes(api))
  if (callable.length > 0) return { apis: callable.map((api) => apiOf(api, options)), closed }
  const settings = listOf(host.apis.map(({ component }) => `${component}-rest-api-address`))
  if (open.length === 0) {
    return new StepError({
      host: host.name,
      code: 'no-open-api',
      message: 'every API of the host is disabled',
      fix: `Use \`muster users apply\` over SSH, or exclude the host with --host.`,
    })
  }
  return new StepError({
    host: host.name,
    code: 'loopback-only',
    message: `its APIs listen on ${listOf([...new Set(open.map(({ address }) => address))])} only, where other machines cannot reach them`,
    fix: `Run it on ${host.name} itself with --host ${host.name} --connection local, or open an API: set ${settings} and install. Or exclude the host with --host.`,
  })
}

function apiOf(
  { component, address, port }: ApiConfig,
  { host, authorities }: { readonly host: HostConfig; readonly authorities: readonly string[] },
): HostApi {
  const listensOnOne = !isLoopback(address) && !isWildcard(address)
  const endpoint: Endpoint = {
    kind: 'tcp',
    address: isWildcard(address) ? host.address : address,
    port,
    names: listensOnOne ? [address, host.address, host.name] : [host.address, host.name],
    trust: { kind: 'authorities', certificates: authorities },
  }
  return { component, endpoint }
}
