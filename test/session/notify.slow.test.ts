import { writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { WebhookConfig } from '../../src/config/model.ts'
import { notifyEvents } from '../../src/config/settings/webhooks.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { type Notification, notify } from '../../src/session/notify.ts'
import { commandContext } from '../config/commandContext.ts'
import { blocksOf } from '../support/pages.ts'
import { createServerCertificate, type ServerCertificate } from '../support/serverCertificate.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

let certificate: ServerCertificate

beforeAll(() => {
  certificate = createServerCertificate()
})

type Call = { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }

/** A server of webhooks that answers each call as told, the last answer for all further ones. */
async function serve(...answers: ((response: ServerResponse) => void)[]) {
  const calls: Call[] = []
  const server = createServer({ key: certificate.key, cert: certificate.chain }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const answer = answers[Math.min(calls.length, answers.length - 1)]
      calls.push({ url: request.url ?? '', headers: request.headers, body })
      if (answer === undefined) response.end()
      else answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `https://127.0.0.1:${port}/hooks/sentinel4711path`, calls, port }
}

const status =
  (code: number, body = '') =>
  (response: ServerResponse) => {
    response.statusCode = code
    response.end(body)
  }

const literal = (text: string): WebhookConfig['url'] => ({ kind: 'literal', value: new Secret(text) })

function webhook(url: string, given: Partial<WebhookConfig> = {}): WebhookConfig {
  const ca = join(temporaryFolder(), 'authority.crt')
  writeFileSync(ca, certificate.chain)
  return { url: literal(url), on: notifyEvents, ca, place: 'muster.yaml:9:10', ...given }
}

const failedRun: Notification = {
  event: 'run-failed',
  title: 'alpha: install failed on 1 of 2 hosts',
  text: 'db2: "disk" full\n{{title}}',
  operation: 'install',
  outcome: 'failed',
  exit: 1,
  hosts: [{ host: 'db2', result: 'failed', message: 'disk full' }],
  run: '20260101T000000Z-1a2b3c',
  started: '2026-01-01T00:00:00.000Z',
}

async function tell(webhooks: readonly WebhookConfig[], event: Notification = failedRun) {
  const { context, err, out } = commandContext({ env: { HOOK_TOKEN: 'sentinel-token' } })
  const outcomes = await notify(context, { config: { cluster: 'alpha', notify: webhooks }, event })
  expect(out()).toBe('')
  expect(err()).not.toContain('sentinel')
  return { outcomes, err: err() }
}

describe('notify', () => {
  it('sends JSON with the secret header and the id of the run', async () => {
    const server = await serve(status(204))
    const header = { name: 'Authorization', value: { kind: 'env', name: 'HOOK_TOKEN' } as const }
    const { err } = await tell([webhook(server.url, { header })])
    expect(err).toBe('')
    expect(server.calls.map(({ url }) => url)).toEqual(['/hooks/sentinel4711path'])
    expect(server.calls[0]?.headers).toMatchObject({
      authorization: 'sentinel-token',
      'content-type': 'application/json',
      'idempotency-key': failedRun.run,
      'user-agent': 'muster/0.1.0',
    })
    expect(JSON.parse(server.calls[0]?.body ?? '')).toEqual({
      version: 1,
      id: failedRun.run,
      cluster: 'alpha',
      ended: '2026-01-01T00:00:00.000Z',
      ...failedRun,
    })
  })

  it('sends by itself what the guide shows, member by member', async () => {
    const server = await serve(status(200))
    await tell([webhook(server.url)])
    const shown = blocksOf('docs/guide/hooks.md').filter(({ language }) => language === 'json')[1]
    const [sent, example] = [JSON.parse(server.calls[0]?.body ?? ''), JSON.parse(shown?.text ?? '')]
    expect(Object.keys(sent)).toEqual(Object.keys(example))
    expect(Object.keys(sent.hosts[0])).toEqual(Object.keys(example.hosts[0]))
  })

  it('fills the template of the guide for Slack, where a host can mention nobody', async () => {
    const server = await serve(status(200))
    const whole = blocksOf('docs/guide/hooks.md').find(({ text }) => text.startsWith('notify:'))?.text ?? ''
    const template = literal(/\{ "text[\s\S]*?\n +\] \}/.exec(whole)?.[0] ?? '')
    await tell([webhook(server.url, { template })])
    const plain = (text: string) => ({ type: 'section', text: { type: 'plain_text', text } })
    expect(JSON.parse(server.calls[0]?.body ?? '')).toEqual({
      text: 'alpha: run-failed',
      blocks: [plain(failedRun.title), plain(failedRun.text)],
    })
  })

  it('fills a template, whose values cannot leave their quotes', async () => {
    const server = await serve(status(200))
    const template = literal('{ "text": "{{text}} on {{ hosts }}", "code": {{exit}} }')
    await tell([webhook(server.url, { template })])
    expect(JSON.parse(server.calls[0]?.body ?? '')).toEqual({ text: `${failedRun.text} on db2`, code: 1 })
  })

  it('shows no key of a template that is a secret, also if the server repeats the body', async () => {
    const server = await serve(status(400, 'cannot use {"routing_key":"sentinel\\/4715","n":"alpha"}'))
    const path = join(temporaryFolder(), 'pagerduty.json')
    writeFileSync(path, '{ "routing_key": "sentinel\\/4715", "n": "{{cluster}}" }', { mode: 0o600 })
    const { err } = await tell([webhook(server.url, { template: { kind: 'file', path } })])
    expect(err).toContain('it answered 400: cannot use {"routing_key":"[redacted]","n":"alpha"}')
  })

  it('cuts long texts between characters', async () => {
    const server = await serve(status(200))
    for (const start of ['', 'a'])
      await tell([webhook(server.url)], { ...failedRun, title: start + '😀'.repeat(400) })
    for (const { body } of server.calls) expect(JSON.parse(body).title.isWellFormed()).toBe(true)
  })

  it('calls only the webhooks that want the event', async () => {
    const server = await serve(status(200))
    await tell([webhook(server.url, { on: ['drift'] }), webhook(server.url, { on: ['run-ended'] })])
    expect(server.calls).toHaveLength(1)
    await tell([webhook(server.url, { on: ['run-failed'] })], { ...failedRun, event: 'run-ended' })
    expect(server.calls).toHaveLength(1)
  })

  it('tries again after a temporary failure, with the same key', async () => {
    const server = await serve(status(503, 'later'), status(200))
    expect((await tell([webhook(server.url)])).err).toBe('')
    const keys = server.calls.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual([failedRun.run, failedRun.run])
  })

  it.each([
    ['a redirect', status(302), 'it answered with a redirect (302), which is not followed', 1],
    [
      'a refusal that repeats the secret',
      status(403, 'no /hooks/sentinel4711path'),
      'it answered 403: no [redacted]',
      1,
    ],
    [
      'an endless answer',
      (response: ServerResponse) => {
        response.statusCode = 400
        for (let index = 0; index < 64; index++) response.write('x'.repeat(16_384))
      },
      'it answered 400: …',
      1,
    ],
  ] as const)('warns of %s and does not try again', async (_, answer, reason, calls) => {
    const server = await serve(answer)
    const { err, outcomes } = await tell([webhook(server.url)])
    expect(err).toContain(`warning: the webhook at muster.yaml:9:10 was not told: ${reason}`)
    expect(outcomes[0]?.failure).toBeDefined()
    expect(server.calls).toHaveLength(calls)
  })

  it('verifies the certificate, whatever the environment says', async () => {
    const server = await serve(status(200))
    const { ca: _, ...untrusted } = webhook(server.url)
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    onTestFinished(() => {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    })
    const { err } = await tell([untrusted, webhook(server.url.replace('127.0.0.1', '127.0.0.2'))])
    expect(err).toContain('the certificate of the webhook is not signed by an authority')
    expect(err).toContain('its certificate is for another name')
    expect(server.calls).toEqual([])
  })

  it('refuses a URL without TLS, also if a secret holds it', async () => {
    const { err } = await tell([webhook('http://127.0.0.1/sentinel'), webhook('sentinel')])
    expect(err).toContain('its URL does not begin with https://.')
    expect(err).toContain('its URL is not a URL.')
  })

  it('warns of a secret that cannot be read, and calls the others', async () => {
    const server = await serve(status(200))
    const missing = { kind: 'env', name: 'NO_SUCH_VARIABLE' } as const
    const { err } = await tell([webhook(server.url, { url: missing }), webhook(server.url)])
    expect(err).toContain('the environment variable NO_SUCH_VARIABLE is not set')
    expect(server.calls).toHaveLength(1)
  })
})
