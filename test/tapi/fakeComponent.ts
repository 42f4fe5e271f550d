import type { IncomingMessage, RequestListener } from 'node:http'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { TSchema } from 'typebox'
import type { Component } from '../../src/contracts/component.ts'
import { envelope, type FieldError } from '../../src/contracts/envelope.ts'
import { type ProblemCode, problems } from '../../src/contracts/problems.ts'
import { takesValue } from '../../src/contracts/route.ts'
import { componentRoutes } from '../support/componentRoutes.ts'
import { bodyOf, type LoopbackServer, servePlain, serveTls } from '../support/loopbackServer.ts'
import { sampleOf } from '../support/sampleOf.ts'
import { leaf } from './support.ts'

/** What a call answers: its payload, or the code of a problem. */
export type Told =
  | { readonly payload: unknown }
  | { readonly problem: ProblemCode; readonly detail?: string; readonly errors?: readonly FieldError[] }

/** The same for each time that it is made. */
type ToldEachTime = Told | (() => Told)

export type FakeComponent = LoopbackServer & {
  /** What was sent: `POST /api/v2/connector/onhold?i-am-sure=true`, and behind a space the body, if any. */
  readonly sent: string[]
  /** The changes among it that were not only tried. */
  readonly changes: () => readonly string[]
  /** Answers by the name of the route, with ` dry` behind it only those with dry=yes; a sample where there is none. */
  readonly answers: Map<string, ToldEachTime>
}

const ajv = new Ajv2020({ strict: true, allErrors: true })
addFormats.default(ajv)

function check(schema: TSchema, value: unknown, what: string): void {
  if (!ajv.validate(schema, value)) throw new Error(`${what}: ${ajv.errorsText()}`)
}

const matches = (template: string, path: string): boolean => {
  const pattern = template.replaceAll(/[.]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${pattern}$`).test(path)
}

/** As a sample, with points in time that are some. */
const sample = (schema: TSchema): unknown =>
  JSON.parse(JSON.stringify(sampleOf(schema)), (name, value) =>
    /^(since|startTime|startedAt|endedAt|checkedAt|expiresAt|tlsCertificateExpiry)$/.test(name)
      ? '2025-03-10T10:12:18.000Z'
      : value,
  )

/**
 * A component that answers exactly what its routes say, with payloads that a test chooses; a payload that breaks its
 * schema, or a request that the contracts do not have, is the test's own mistake: 500 and a message.
 */
export async function fakeComponent(
  component: Component,
  login: { readonly user: string; readonly password: string },
  /** Listens there without TLS, and needs no login. */
  socket?: string,
): Promise<FakeComponent> {
  const routes = componentRoutes(component)
  const sent: string[] = []
  const answers = new Map<string, ToldEachTime>()
  const wanted = `Basic ${Buffer.from(`${login.user}:${login.password}`, 'utf8').toString('base64')}`

  function answerTo(
    message: IncomingMessage,
    body: string,
  ): { readonly status: number; readonly body: unknown; readonly type?: string } {
    const [path = '', query = ''] = (message.url ?? '').split('?')
    const fail = (code: ProblemCode, detail = `It is ${code}.`, errors: readonly FieldError[] = []) => {
      const { status, title } = problems[code]
      const payload = { status, code, title, detail, requestId: 'r-1', errors }
      return { status, body: envelope('ErrorPayload', payload) }
    }
    const route = routes.find((it) => it.method === message.method && matches(it.path, path))
    if (route === undefined) throw new Error(`no route ${message.method} ${path}`)
    if (socket === undefined && route.auth !== 'none' && message.headers.authorization !== wanted)
      return fail('login-refused')
    const members = query === '' ? [] : query.split('&')
    if (route.guard && !members.includes('i-am-sure=true')) return fail('not-confirmed')
    for (const [name, value = ''] of members.map((it) => it.split('='))) {
      const parameter = route.query?.[name ?? '']
      const known = name === 'i-am-sure' ? route.guard : parameter && takesValue(parameter, value)
      if (known !== true) throw new Error(`${route.name} takes no ${name}=${value}`)
    }
    if (route.request) check(route.request, JSON.parse(body), `the body of ${route.name}`)
    const isDry = members.includes('dry=yes')
    const each = (isDry ? answers.get(`${route.name} dry`) : undefined) ?? answers.get(route.name)
    const told = typeof each === 'function' ? each() : each
    if (told && 'problem' in told) return fail(told.problem, told.detail, told.errors)
    const { response } = route
    if (route.name === 'ready') {
      const text = told === undefined ? 'ready\n' : String(told.payload)
      return { status: text.startsWith('ready') ? 200 : 503, body: text }
    }
    if (response.kind === 'events' && told && Array.isArray(told.payload)) {
      const events = told.payload.map((payload, index) => {
        check(response.payload, payload, `an event of ${route.name}`)
        return `id: e-${index}\ndata: ${JSON.stringify(envelope(response.payloadType, payload))}\n\n`
      })
      return { status: 200, body: events.join(''), type: 'text/event-stream' }
    }
    if (response.kind !== 'payload') throw new Error(`${route.name} has no payload`)
    const payload = told?.payload ?? sample(response.payload)
    check(response.payload, payload, `the payload of ${route.name}`)
    return { status: 200, body: envelope(response.payloadType, payload) }
  }

  const listener: RequestListener = async (message, answer) => {
    const body = await bodyOf(message)
    sent.push([message.method, message.url, ...(body === '' ? [] : [body])].join(' '))
    try {
      const { status, body: told, type } = answerTo(message, body)
      const isText = typeof told === 'string'
      answer.writeHead(status, {
        'Content-Type': `${type ?? (isText ? 'text/plain' : 'application/json')}; charset=utf-8`,
      })
      answer.end(isText ? told : JSON.stringify(told))
    } catch (error) {
      answer.writeHead(500, { 'Content-Type': 'text/plain' })
      answer.end(String(error))
      sent.push(String(error))
    }
  }
  const server = await (socket === undefined
    ? serveTls(leaf, listener)
    : servePlain(listener, { path: socket }))
  const changes = () => sent.filter((one) => one.startsWith('POST') && !one.includes('dry=yes'))
  return { ...server, sent, changes, answers }
}
