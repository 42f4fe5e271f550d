import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { printable, printableLine } from '../base/printable.ts'
import { shortListOf } from '../base/words.ts'
import type { CommandContext } from '../cli/context.ts'
import { readInputFile } from '../cli/readInputFile.ts'
import { secretReader } from '../cli/secretReader.ts'
import { callWebhook, type WebhookResult } from '../client/callWebhook.ts'
import type { ClusterConfig, WebhookConfig } from '../config/model.ts'
import type { NotifyEvent } from '../config/settings/webhooks.ts'
import {
  renderTemplate,
  type TemplateField,
  templateProblem,
  templateTexts,
} from '../config/webhookTemplate.ts'
import { unusableUrl } from '../config/webhookUrl.ts'
import { runId } from '../deployment/lock/runOwner.ts'
import type { SecretReference } from '../secrets/reference.ts'
import { Secret } from '../secrets/secret.ts'

/** A host in a notification; `result` is a word such as `failed`, `message` says why. No secrets. */
export type NotifiedHost = { readonly host: string; readonly result: string; readonly message?: string }

/** An event that webhooks are told. No secrets: everything here leaves this machine. */
export type Notification = {
  /** `test`: every webhook is called. */
  readonly event: NotifyEvent | 'test'
  /** One line: what happened, where. */
  readonly title: string
  /** Some lines: what a person needs to know to decide if it can wait. */
  readonly text: string
  /** The command, such as `install` or `cert check`. */
  readonly operation: string
  /** One word, such as `ok`, `failed` or `stopped`. */
  readonly outcome: string
  readonly exit: number
  /** Hosts that a person should look at, first those with the worst problem. */
  readonly hosts: readonly NotifiedHost[]
  /** Id of the run in `muster audit`; absent for a command that changes nothing. */
  readonly run?: string
  /** RFC 3339; absent: now. */
  readonly started?: string
}

/** Limits of a message: services refuse longer ones. */
const longest = { title: 500, text: 3000, hosts: 200, host: 500 }

/** Milliseconds for one attempt, for all of them, and between them. */
const timing = { attempt: 10_000, total: 20_000, pauses: [1000, 3000] } as const

/** Result of one webhook; `reason` is a sentence without its full stop, and holds no secret. */
type WebhookOutcome = {
  readonly webhook: WebhookConfig
  readonly failure?: { readonly reason: string }
}

/**
 * Tells an event to the webhooks of the configuration that want it, all at the same time. A webhook that fails is a
 * warning on standard error and changes nothing else. Never rejects.
 */
export async function notify(
  context: CommandContext,
  options: { readonly config: Pick<ClusterConfig, 'cluster' | 'notify'>; readonly event: Notification },
): Promise<readonly WebhookOutcome[]> {
  const { config, event } = options
  const wanted = (config.notify ?? []).filter(({ on }) => isWanted(on, event.event))
  if (wanted.length === 0) return []
  // After Ctrl-C there is still something to tell; a second one ends the process.
  const signal = context.signal.aborted ? new AbortController().signal : context.signal
  const payload = payloadOf(context, config.cluster, event)
  const outcomes = await Promise.all(
    wanted.map(async (webhook): Promise<WebhookOutcome> => {
      const result = await tell({ ...context, signal }, webhook, payload)
      return result.ok ? { webhook } : { webhook, failure: { reason: result.reason } }
    }),
  )
  for (const { webhook, failure } of outcomes) {
    if (failure === undefined) continue
    context.stderr.write(`warning: the webhook at ${webhook.place} was not told: ${failure.reason}.\n`)
  }
  return outcomes
}

/** A failed run has ended, too. */
const isWanted = (on: WebhookConfig['on'], event: Notification['event']): boolean =>
  event === 'test' || on.includes(event) || (event === 'run-failed' && on.includes('run-ended'))

/** JSON that is sent without a template; docs/guide/hooks.md describes it. */
type Payload = {
  readonly version: 1
  readonly event: Notification['event']
  readonly id: string
  readonly title: string
  readonly text: string
  readonly cluster: string
  readonly operation: string
  readonly run: string | null
  readonly outcome: string
  readonly hosts: readonly NotifiedHost[]
  readonly started: string
  readonly ended: string
  readonly exit: number
}

function payloadOf(context: CommandContext, cluster: string, event: Notification): Payload {
  const ended = context.now().toISOString()
  const hosts = event.hosts.slice(0, longest.hosts).map(({ host, result, message }) => ({
    host,
    result,
    ...(message === undefined ? {} : { message: cut(printable(message), longest.host) }),
  }))
  return {
    version: 1,
    event: event.event,
    id: event.run ?? runId(context.now(), randomBytes(3).toString('hex')),
    title: cut(printableLine(event.title), longest.title),
    text: cut(printable(event.text), longest.text),
    cluster,
    operation: event.operation,
    run: event.run ?? null,
    outcome: event.outcome,
    hosts,
    started: event.started ?? ended,
    ended,
    exit: event.exit,
  }
}

/** Cuts a text, never within a character: half of one is no valid JSON for some readers. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`

/** Returns the values of a payload as a template names them. */
const fieldsOf = (payload: Payload): Readonly<Record<TemplateField, string>> => ({
  event: payload.event,
  id: payload.id,
  title: payload.title,
  text: payload.text,
  cluster: payload.cluster,
  operation: payload.operation,
  run: payload.run ?? '',
  outcome: payload.outcome,
  hosts: shortListOf(
    payload.hosts.map(({ host }) => host),
    20,
  ),
  started: payload.started,
  ended: payload.ended,
  exit: String(payload.exit),
})

const failed = (reason: string): WebhookResult => ({ ok: false, reason, isTemporary: false })

/** Reads the secrets of a webhook and calls it, again after temporary failures. */
async function tell(
  context: CommandContext,
  webhook: WebhookConfig,
  payload: Payload,
): Promise<WebhookResult> {
  try {
    const read = secretReader(context, { policy: 'all' })
    const secretOf = async (reference: SecretReference): Promise<Secret> => {
      const reading = await read(reference)
      if ('failure' in reading) throw reading.failure
      return reading.secret
    }
    const url = await secretOf(webhook.url)
    const unusable = unusableUrl(url.reveal())
    if (unusable !== undefined) return failed(`its URL ${unusable}`)
    const template = webhook.template && (await secretOf(webhook.template))
    const problem = template && templateProblem(template.reveal())
    if (problem !== undefined) return failed(`its template ${problem}`)
    const header = webhook.header && {
      name: webhook.header.name,
      value: await secretOf(webhook.header.value),
    }
    const what = 'The certificate of ca'
    const ca = webhook.ca && (await readInputFile({ path: webhook.ca, what })).text
    const body =
      template === undefined ? JSON.stringify(payload) : renderTemplate(template.reveal(), fieldsOf(payload))
    const secrets =
      template === undefined || webhook.template?.kind === 'literal'
        ? []
        : templateTexts(template.reveal()).map((text) => new Secret(text))
    const call = { url, body, ...(header && { header }), secrets, ...(ca && { ca }), signal: context.signal }
    return await callAgain({ ...call, idempotencyKey: payload.id, userAgent: `muster/${context.version}` })
  } catch (error) {
    // An unreadable secret, an unreadable file, or Ctrl-C; none of these messages holds a secret.
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'unknown'
    return failed(`${reason.charAt(0).toLowerCase()}${reason.slice(1)}`)
  }
}

async function callAgain(call: Omit<Parameters<typeof callWebhook>[0], 'timeout'>): Promise<WebhookResult> {
  const deadline = performance.now() + timing.total
  for (const wait of [...timing.pauses, undefined]) {
    const left = deadline - performance.now()
    const result = await callWebhook({ ...call, timeout: Math.min(timing.attempt, left) })
    const isOver = wait === undefined || performance.now() + wait >= deadline
    if (result.ok || !result.isTemporary || isOver) return result
    await pause(wait, undefined, { signal: call.signal }).catch(() => undefined)
  }
  return failed('it was not called')
}
