import { request } from 'node:https'
import { boundedBytes } from '../base/boundedBytes.ts'
import { lastLines } from '../base/printable.ts'
import { errorCode } from '../base/systemErrors.ts'
import { redactSecrets } from '../secrets/redactSecrets.ts'
import type { Secret } from '../secrets/secret.ts'
import { explainFailure } from './explainFailure.ts'

/** One POST of JSON to a webhook. */
export type WebhookCall = {
  /** With https; a secret, since it may hold a token. */
  readonly url: Secret
  readonly body: string
  readonly header?: { readonly name: string; readonly value: Secret }
  /** Parts of the body that are secret. */
  readonly secrets?: readonly Secret[]
  /** Equal for each attempt, so that the server can tell them from two messages. */
  readonly idempotencyKey: string
  readonly userAgent: string
  /** PEM certificate of the only trusted authority; absent: those that Node.js trusts. */
  readonly ca?: string
  /** Milliseconds for one attempt. */
  readonly timeout: number
  readonly signal: AbortSignal
}

/** `reason` is a sentence without its full stop; it holds neither URL nor secret. */
export type WebhookResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string; readonly isTemporary: boolean }

/** Bytes of a response that are read; the rest is of no use. */
const responseLimit = 16 * 1024

/** Failures of a connection after which another attempt may succeed. */
const temporary: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]

/**
 * Calls a webhook once, with its certificate verified always; follows no redirect and uses no proxy. Any status of
 * 200 to 299 is a success. Never rejects.
 */
export function callWebhook(call: WebhookCall): Promise<WebhookResult> {
  const { url, body, header, idempotencyKey, userAgent, ca, timeout } = call
  return new Promise((resolve) => {
    const fail = (reason: string, isTemporary: boolean): void => settle({ ok: false, reason, isTemporary })
    let settle = (result: WebhookResult): void => resolve(result)
    try {
      const sent = request(new URL(url.reveal()), {
        method: 'POST',
        agent: false,
        minVersion: 'TLSv1.2',
        // NODE_TLS_REJECT_UNAUTHORIZED changes nothing here.
        rejectUnauthorized: true,
        ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          'User-Agent': userAgent,
          'Idempotency-Key': idempotencyKey,
          ...(header === undefined ? {} : { [header.name]: header.value.reveal() }),
        },
      })
      const onAbort = (): void => fail('it was stopped', false)
      const timer = setTimeout(
        () => fail(`it did not answer within ${Math.ceil(timeout / 100) / 10} s`, true),
        timeout,
      )
      settle = (result) => {
        clearTimeout(timer)
        call.signal.removeEventListener('abort', onAbort)
        sent.destroy()
        resolve(result)
      }
      call.signal.addEventListener('abort', onAbort)
      if (call.signal.aborted) onAbort()
      sent.on('error', (error) => fail(reasonOf(error), temporary.includes(errorCode(error) ?? '')))
      sent.on('response', (message) => {
        const status = message.statusCode ?? 0
        if (status >= 200 && status < 300) return settle({ ok: true })
        const answer = boundedBytes(responseLimit)
        const end = (): void => {
          const said = lastLines(redactSecrets(answer.bytes().toString('utf8'), secretsOf(call)))
          fail(statusReason(status, said), status === 408 || status === 429 || status >= 500)
        }
        message.on('data', (chunk: Buffer) => {
          answer.push(chunk)
          if (answer.length === responseLimit) end()
        })
        message.on('end', end)
        message.on('error', end)
      })
      sent.end(body)
    } catch (error) {
      // Such as a header with a line break, which Node.js refuses.
      fail(`it could not be called: ${errorCode(error) ?? 'invalid request'}`, false)
    }
  })
}

/** Returns everything of a call that its server knows and a person must not see, in each form that it may be repeated. */
const secretsOf = ({ url, header, secrets = [] }: WebhookCall): readonly string[] => {
  const text = url.reveal()
  const { pathname, search, searchParams, username, password } = new URL(text)
  const parts = [...pathname.split('/'), ...searchParams.values(), username, password]
  const value = header?.value.reveal() ?? ''
  // A token is often repeated without its scheme.
  const words = [value, ...value.split(/\s+/)]
  return [text, `${pathname}${search}`, ...parts, ...words, ...secrets.map((secret) => secret.reveal())]
}

const statusReason = (status: number, said: string): string => {
  if (status >= 300 && status < 400) return `it answered with a redirect (${status}), which is not followed`
  return `it answered ${status}${said === '' ? '' : `: ${said.slice(0, 200)}`}`
}

function reasonOf(error: unknown): string {
  if (errorCode(error) === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for another name'
  const { message } = explainFailure({ error, place: 'the webhook' })
  return `${message.charAt(0).toLowerCase()}${message.slice(1)}`.replace(/\.$/, '')
}
