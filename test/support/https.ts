import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { RunningServer } from '../../src/api/startServer.ts'

export type Answer = {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Where a test calls: a TCP port of loopback whose certificate it trusts, or a Unix socket. */
export type Place = { readonly port: number; readonly ca: string } | { readonly socketPath: string }

export const portOf = (server: RunningServer): number => server.port ?? 0

/** One call over a real socket; the body is sent as it is. */
export function fetchAt(
  place: Place,
  options: {
    readonly path: string
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
  },
): Promise<Answer> {
  const { path, method = 'GET', headers = {}, body } = options
  const common = { path, method, headers, agent: false as const }
  return new Promise((resolve, reject) => {
    const onAnswer = (message: IncomingMessage): void => {
      const chunks: Buffer[] = []
      message.on('data', (chunk: Buffer) => chunks.push(chunk))
      message.on('error', reject)
      message.on('end', () =>
        resolve({
          status: message.statusCode ?? 0,
          headers: message.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    }
    const request =
      'port' in place
        ? tlsRequest({ ...common, host: '127.0.0.1', port: place.port, ca: place.ca }, onAnswer)
        : plainRequest({ ...common, socketPath: place.socketPath }, onAnswer)
    request.on('error', reject)
    request.end(body)
  })
}
