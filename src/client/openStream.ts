import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import { internalUserAgent } from '../contracts/route.ts'
import { streamPath, streamProtocol, streamTarget } from '../contracts/streams.ts'
import { ClientError } from './clientError.ts'
import { describeEndpoint, type Endpoint } from './endpoint.ts'
import { explainFailure } from './explainFailure.ts'
import { hostHeader, tlsOptions } from './request.ts'

/**
 * Opens one end of a stream through the manager of the host that it comes from: over its socket with the name of the host that
 * it is for, or as that host. Resolves once the other end is there, too. Rejects with a `ClientError`.
 */
export function openStream(
  endpoint: Endpoint,
  { id, to, timeout }: { readonly id: string; readonly to?: string; readonly timeout: number },
): Promise<Duplex> {
  const place = describeEndpoint(endpoint)
  const options = {
    path: streamPath(id),
    headers: {
      Host: hostHeader(endpoint),
      'User-Agent': internalUserAgent,
      Connection: 'Upgrade',
      Upgrade: streamProtocol,
      ...(to !== undefined && { [streamTarget]: to }),
    },
    agent: false,
    timeout,
  } as const
  return new Promise((resolve, reject) => {
    const sent =
      endpoint.kind === 'socket'
        ? plainRequest({ ...options, socketPath: endpoint.path })
        : tlsRequest({ ...options, ...tlsOptions(endpoint) })
    const fail = (error: unknown): void => {
      reject(error instanceof ClientError ? error : new ClientError(explainFailure({ error, place })))
      sent.destroy()
    }
    sent.on('error', fail)
    sent.on('timeout', () => fail(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
    sent.on('response', ({ statusCode }) =>
      fail(
        new ClientError({
          code: 'bad-answer',
          message: `${place} answered ${statusCode} instead of the stream.`,
          fix: 'Install again: its manager may be of an older release.',
        }),
      ),
    )
    sent.on('upgrade', (_response, socket, head) => {
      socket.setTimeout(0)
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    sent.end()
  })
}
