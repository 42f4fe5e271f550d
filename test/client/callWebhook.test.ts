import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { callWebhook, type WebhookCall } from '../../src/client/callWebhook.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { createServerCertificate, type ServerCertificate } from '../support/serverCertificate.ts'

let certificate: ServerCertificate

beforeAll(() => {
  certificate = createServerCertificate()
})

/** Starts a server that answers every call by `answer`, and calls it once. */
async function called(answer: (response: ServerResponse) => void, given: Partial<WebhookCall> = {}) {
  const server = createServer({ key: certificate.key, cert: certificate.chain }, (_, response) =>
    answer(response),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return callWebhook(callTo(`https://127.0.0.1:${port}/hooks/sentinel4711path?token=sentinel4712`, given))
}

const callTo = (url: string, given: Partial<WebhookCall> = {}): WebhookCall => ({
  url: new Secret(url),
  body: '{}',
  idempotencyKey: 'run',
  userAgent: 'muster',
  ca: certificate.chain,
  timeout: 10_000,
  signal: new AbortController().signal,
  ...given,
})

describe('callWebhook', () => {
  it('ends when its time is over if the server never answers, for another attempt', async () => {
    const result = await called(() => undefined, { timeout: 200 })
    expect(result).toEqual({ ok: false, reason: 'it did not answer within 0.2 s', isTemporary: true })
  })

  it('ends with the command if that is stopped, for no other attempt', async () => {
    const stopping = new AbortController()
    const result = await called(() => stopping.abort(), { signal: stopping.signal })
    expect(result).toEqual({ ok: false, reason: 'it was stopped', isTemporary: false })
  })

  it('reads no more of an endless answer than it shows', async () => {
    const result = await called((response) => {
      response.statusCode = 400
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
      }
      response.on('drain', more)
      more()
    })
    expect(result).toMatchObject({ ok: false, isTemporary: false })
    expect(JSON.stringify(result).length).toBeLessThan(400)
  })

  it('never shows its URL, also if the server repeats it', async () => {
    const result = await called((response) => {
      response.statusCode = 403
      response.end('no hook sentinel4711path with the token sentinel4712')
    })
    expect(result).toMatchObject({ ok: false })
    expect(JSON.stringify(result)).not.toContain('sentinel')
  })

  it('never shows its header or secrets of its body, also if the server repeats only the token', async () => {
    const header = { name: 'Authorization', value: new Secret('Bearer sentinel4713token') }
    const result = await called(
      (response) => {
        response.statusCode = 401
        response.end('no token sentinel4713token, no key sentinel4714')
      },
      { header, secrets: [new Secret('sentinel4714')] },
    )
    const reason = 'it answered 401: no token [redacted], no key [redacted]'
    expect(result).toEqual({ ok: false, reason, isTemporary: false })
  })

  it('says the time it waited in tenths of a second', async () => {
    const result = await called(() => undefined, { timeout: 100.002_3 })
    expect(result).toMatchObject({ reason: 'it did not answer within 0.2 s' })
  })

  it('says that a name cannot be resolved', async () => {
    const result = await callWebhook(callTo('https://muster-test.invalid/x'))
    expect(result).toMatchObject({ ok: false, reason: expect.stringMatching(/host name/) })
  })
})
