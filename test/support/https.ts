import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { RunningServer } from '../../src/api/startServer.ts'
import { type AnswerCheck, answerCheck } from './checkAnswer.ts'

export type Answer = {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Where a test calls: a TCP port of loopback whose certificate it trusts, or a Unix socket. */
export type Place = { readonly port: number; readonly ca: string } | { readonly socketPath: string }

export const portOf = (server: RunningServer): number => server.port ?? 0

type Options = {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

function send(place: Place, options: Options): Promise<Answer> {
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

/** What the server at a place says of itself; while it is stopping it says no more, and the last word counts. */
async function checkAt(place: Place): Promise<AnswerCheck> {
  const answer = await send(place, { path: '/openapi.json' }).catch(() => undefined)
  if (answer?.status === 200) latest = answerCheck(JSON.parse(answer.body))
  if (!latest) throw new Error('no server has described itself yet')
  return latest
}

let latest: AnswerCheck | undefined

/**
 * One call over a real socket; the body is sent as it is. Rejects when the answer is none that the server's
 * /openapi.json describes.
 */
export async function fetchAt(place: Place, options: Options): Promise<Answer> {
  const answer = await send(place, options)
  const { path, method = 'GET' } = options
  const check = await checkAt(place)
  check({ method, path, ...answer })
  return answer
}
