import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import { redacted } from '../../diagnostics/source.ts'
import type { SecretReference } from '../../secrets/reference.ts'
import { headerMembers, webhookMembers } from '../document/hideSecrets.ts'
import { keyName, type MapEntry, type MapNode, type YamlNode } from '../document/node.ts'
import { missingKey, noValue, referenceNotSecret, unknownKey } from '../findings.ts'
import { listOfType } from '../types/listTypes.ts'
import { secretReference } from '../types/secretReference.ts'
import { choice, headerName, path } from '../types/texts.ts'
import { type Reading, type ValueType, wrongType } from '../types/type.ts'
import { templateProblem } from '../webhookTemplate.ts'
import { urlProblem } from '../webhookUrl.ts'
import { type Given, setting } from './setting.ts'

/** Events that webhooks are called for. */
export const notifyEvents = ['run-ended', 'run-failed', 'certificates', 'users', 'drift'] as const

export type NotifyEvent = (typeof notifyEvents)[number]

/** A secret or a text of a webhook, at its own place. */
export type WebhookSecret = Given & { readonly value: SecretReference }

/** A webhook in a file. */
export type WebhookEntry = {
  readonly url: WebhookSecret
  readonly on: readonly NotifyEvent[]
  readonly template?: WebhookSecret
  readonly header?: { readonly name: string; readonly value: WebhookSecret }
  /** Path of the authority's certificate, still relative. */
  readonly ca?: Given & { readonly value: string }
}

/** Setting of each secret of a webhook; no option of its own. */
const each = setting({ name: 'notify', scope: 'file', secret: true, type: secretReference })

const events = listOfType(choice(notifyEvents), 'a list of events')

type Members = ReadonlyMap<string, MapEntry>

const groupFix = 'Write, for example: { url: !env SLACK_URL, on: [run-failed] }'

/** Returns the entries of a group by name; an unknown name is a finding. */
function membersOf(
  node: MapNode,
  given: { readonly place: string; readonly known: readonly string[] },
  findings: Diagnostic[],
): Members {
  const members = new Map<string, MapEntry>()
  for (const entry of node.entries) {
    // A duplicate key already has its finding.
    if (members.has(entry.key)) continue
    if (given.known.includes(entry.key)) members.set(entry.key, entry)
    else {
      const near = entry.hidden === true ? undefined : nearest(entry.key, given.known)
      const facts = { ...given, ...keyName(entry), nearest: near }
      findings.push(unknownKey(facts, { span: entry.keySpan }))
    }
  }
  return members
}

/** Reads one member by its type; an empty one, and a tag that the type does not have, are findings. */
function readMember<T>(
  entry: MapEntry | undefined,
  type: ValueType<T>,
  findings: Diagnostic[],
): (Given & { readonly value: T }) | undefined {
  if (entry === undefined || entry.value.faulty === true) return undefined
  const { value: node, keySpan } = entry
  const spelling = `notify.${entry.key}`
  const secret = (type as ValueType<unknown>) === secretReference
  const place = { span: node.span }
  if (node.kind === 'scalar' && node.value === null && node.tag === undefined) {
    findings.push(noValue({ name: spelling, wants: type.wants, secret }, place))
    return undefined
  }
  if (node.tag !== undefined && !secret) {
    findings.push(referenceNotSecret({ name: spelling, tag: node.tag }, place))
    return undefined
  }
  const { value, findings: found } = type.read(secret ? { ...node, hidden: true } : node, spelling)
  findings.push(...found)
  return value === undefined ? undefined : { setting: each, spelling, keySpan, span: node.span, value }
}

function literalOf(given: WebhookSecret | undefined): string | undefined {
  return given?.value.kind === 'literal' ? given.value.value.reveal() : undefined
}

const webhookUrl = finding('webhook-url', (facts: { problem: string }) => ({
  message: `The URL of a webhook ${facts.problem}.`,
  why: 'What muster tells, and the secrets it sends along, must reach the right server unread by others.',
  fix: 'Write, for example: url: https://ntfy.example.org/deployments',
}))

const webhookSecret = finding('webhook-secret', (facts: { name: string; reason: string }) => ({
  message: `${facts.name} must be a reference: ${facts.reason}.`,
  why: 'Everyone who can read the file, its history or a copy could send messages in your name.',
  fix: `Write, for example: ${facts.name.replace('notify.', '')}: !env WEBHOOK_SECRET`,
}))

const webhookTemplate = finding('webhook-template', (facts: { problem: string }) => ({
  message: `The template of a webhook ${facts.problem}.`,
  why: 'The message would be refused, or be empty where it matters.',
  fix: `Write, for example: template: '{ "text": "{{title}}" }'`,
}))

function checkLiterals(
  given: { readonly url?: WebhookSecret; readonly template?: WebhookSecret; readonly header?: WebhookSecret },
  findings: Diagnostic[],
): void {
  const { url, template, header } = given
  const [address, text] = [literalOf(url), literalOf(template)]
  if (url !== undefined && address !== undefined) {
    const problem = urlProblem(address)
    if (problem === 'secret') {
      const reason = 'the URL seems to hold a token'
      findings.push(webhookSecret({ name: url.spelling, reason }, { span: url.span }))
    } else if (problem !== undefined) {
      findings.push(webhookUrl({ problem }, { span: url.span }))
    }
  }
  if (header !== undefined && literalOf(header) !== undefined) {
    const reason = 'the value of the header is a secret'
    findings.push(webhookSecret({ name: header.spelling, reason }, { span: header.span }))
  }
  const problem = template === undefined || text === undefined ? undefined : templateProblem(text)
  if (template !== undefined && problem !== undefined) {
    findings.push(webhookTemplate({ problem }, { span: template.span }))
  }
}

function readHeader(entry: MapEntry | undefined, findings: Diagnostic[]): WebhookEntry['header'] | undefined {
  if (entry === undefined || entry.value.faulty === true) return undefined
  const { value: node } = entry
  if (node.kind !== 'map' || node.tag !== undefined) {
    const wants = 'a group of name and value'
    const fix = 'Write, for example: header: { name: Authorization, value: !env HOOK_TOKEN }'
    findings.push(wrongType({ ...node, hidden: true }, { name: 'notify.header', wants, fix }))
    return undefined
  }
  const members = membersOf(node, { place: 'a header', known: headerMembers }, findings)
  for (const name of headerMembers.filter((one) => !members.has(one))) {
    const example = name === 'name' ? 'name: Authorization' : 'value: !env HOOK_TOKEN'
    findings.push(missingKey({ name, place: 'the header', example }, { span: entry.keySpan }))
  }
  const name = readMember(members.get('name'), headerName, findings)
  const value = readMember(members.get('value'), secretReference, findings)
  return name === undefined || value === undefined ? undefined : { name: name.value, value }
}

function readWebhook(node: YamlNode): Reading<WebhookEntry> {
  const findings: Diagnostic[] = []
  if (node.kind !== 'map' || node.tag !== undefined) {
    const facts = { name: 'notify', wants: 'a list of groups, each with a url', fix: groupFix }
    return { findings: [wrongType({ ...node, hidden: true }, facts)] }
  }
  const members = membersOf(node, { place: 'a webhook', known: webhookMembers }, findings)
  if (!members.has('url')) {
    const facts = { name: 'url', place: 'the webhook', example: 'url: !env SLACK_URL' }
    findings.push(missingKey(facts, { span: node.span }))
  }
  const url = readMember(members.get('url'), secretReference, findings)
  const on = readMember(members.get('on'), events, findings)
  const template = readMember(members.get('template'), secretReference, findings)
  const header = readHeader(members.get('header'), findings)
  const ca = readMember(members.get('ca'), path, findings)
  checkLiterals(
    {
      ...(url && { url }),
      ...(template && { template }),
      ...(header && { header: header.value }),
    },
    findings,
  )
  if (url === undefined) return { findings }
  return {
    value: {
      url,
      on: on === undefined ? notifyEvents : on.value.map(({ value }) => value),
      ...(template && { template }),
      ...(header && { header }),
      ...(ca && { ca }),
    },
    findings,
  }
}

const reference = secretReference.schema

/** A list of webhooks, each with secrets of its own. Only their events are ever shown. */
export const webhooks: ValueType<readonly WebhookEntry[]> = {
  wants: 'a list of webhooks, each a group of url, on, template, header and ca',
  example: '[{ url: !env SLACK_URL, on: [run-failed] }]',
  textual: false,
  schema: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        url: reference,
        on: events.schema,
        template: reference,
        header: {
          type: 'object',
          properties: { name: headerName.schema, value: reference },
          required: headerMembers,
          additionalProperties: false,
        },
        ca: path.schema,
      },
      required: ['url'],
      additionalProperties: false,
    },
  },
  write: (entries) => entries.map(({ on }) => `${redacted} on ${on.join(', ')}`),
  read: (node, name) => {
    if (node.kind !== 'list') {
      const fix = `Put it in brackets: ${name}: [{ url: !env SLACK_URL, on: [run-failed] }]`
      return { findings: [wrongType({ ...node, hidden: true }, { name, wants: webhooks.wants, fix })] }
    }
    const readings = node.items.filter((item) => item.faulty !== true).map(readWebhook)
    return {
      value: readings.flatMap(({ value }) => value ?? []),
      findings: readings.flatMap(({ findings }) => findings),
    }
  },
}
