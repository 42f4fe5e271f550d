import { readLinkedText } from '../api/serverFiles.ts'
import type { Endpoint } from '../client/endpoint.ts'
import type { FollowedManager, ServerSettings } from '../contracts/serverSettings.ts'
import { Secret } from '../secrets/secret.ts'

/**
 * Returns the way to a manager of another host. Reads the files of the certificates anew for each connection: they change
 * without a restart. Throws a `StartError` where one cannot be read.
 */
export function managerEndpoint(
  { address, port, names }: FollowedManager,
  { key, chain, authorities = '' }: ServerSettings['tls'],
): Endpoint {
  const [first = address, ...others] = names
  return {
    kind: 'tcp',
    address,
    port,
    names: [first, ...others],
    trust: { kind: 'authorities', certificates: [readLinkedText(authorities, 'the authorities')] },
    identity: {
      key: new Secret(readLinkedText(key, 'the private key')),
      chain: readLinkedText(chain, 'the certificate'),
    },
  }
}
