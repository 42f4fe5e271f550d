import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { components, defaultPorts } from '../../../src/contracts/component.ts'
import { openApiDocument } from '../../../src/contracts/openapi.ts'
import { bodyOf, postmanCollection } from '../../../src/output/postman/collection.ts'
import { operationsOf } from '../../../src/output/postman/operations.ts'
import { componentRoutes } from '../../support/componentRoutes.ts'

type Item = {
  readonly name: string
  readonly event: readonly { readonly script: { readonly exec: readonly string[] } }[]
  readonly request: {
    readonly method: string
    readonly auth?: object
    readonly body?: { readonly raw: string }
    readonly url: { readonly raw: string; readonly query?: readonly { readonly disabled?: boolean }[] }
  }
}
type Folder = { readonly name: string; readonly item: readonly Item[] }
type Collection = {
  readonly item: readonly Folder[]
  readonly variable: readonly { readonly key: string; readonly value: string }[]
}

/** As a host that serves everything describes itself. */
const documentOf = (component: (typeof components)[number]): unknown =>
  JSON.parse(
    JSON.stringify(
      openApiDocument({
        component,
        version: '1',
        routes: componentRoutes(component),
        server: 'https://db1:8090',
      }),
    ),
  )

const collection = postmanCollection({
  name: 'muster APIv2',
  host: 'localhost',
  user: 'admin',
  components: components.map((component) => ({
    component,
    port: defaultPorts[component],
    document: documentOf(component),
  })),
})
const read: Collection = JSON.parse(JSON.stringify(collection))
const items = read.item.flatMap((folder) => folder.item.map((item) => ({ folder: folder.name, ...item })))

describe('the Postman collection', () => {
  it('is the committed file', async () => {
    const committed = fileURLToPath(new URL('../../../docs/muster.postman_collection.json', import.meta.url))
    await expect(`${JSON.stringify(collection, null, 2)}\n`).toMatchFileSnapshot(committed)
  })

  it('has every call of every component once, with changes in their own folders', () => {
    expect(read.item.map(({ name }) => name)).toEqual(
      components.flatMap((component) => [`${component}: read`, `${component}: change`]),
    )
    for (const component of components) {
      const made = items.filter(({ folder }) => folder.startsWith(component))
      const calls = made.map(({ request }) => {
        const path = request.url.raw.replace(/^https:\/\/\{\{host\}\}:\{\{\w+\}\}/, '').replace(/\?.*/, '')
        return `${request.method} ${path.replaceAll('{{', '{').replaceAll('}}', '}')}`
      })
      const routes = componentRoutes(component).map(({ method, path }) => `${method} ${path}`)
      expect([...calls].sort()).toEqual([...routes].sort())
      for (const { folder, request } of made) {
        expect(folder, request.url.raw).toBe(`${component}: ${request.method === 'GET' ? 'read' : 'change'}`)
        expect(request.url.raw.includes('?i-am-sure=true'), request.url.raw).toBe(request.method === 'POST')
      }
    }
  })

  it('checks every response', () => {
    for (const { event, request } of items) {
      const [lines] = event.map(({ script }) => script.exec.join('\n'))
      expect(lines, request.url.raw).toContain('to.have.status(200)')
      const { raw } = request.url
      const hasPayload = raw.includes('/api/v2/') && !raw.endsWith('/events')
      expect(lines?.includes('payloadType is '), raw).toBe(hasPayload)
    }
  })

  it('skips the checks only of calls that do not apply on the host', () => {
    type Result = { readonly name: string; readonly outcome: 'passed' | 'failed' | 'skipped' }
    /** Runs the script of an item on an answer as Postman does, as far as our scripts go. */
    const results = (lines: string, status: number, body: unknown): readonly Result[] => {
      const told: Result[] = []
      const expectation = (value: unknown) => ({
        to: {
          eql: (other: unknown) => expect(value).toEqual(other),
          match: (pattern: RegExp) => expect(value).toMatch(pattern),
          not: { be: { empty: expect(value).not.toBe('') } },
        },
      })
      const test = (name: string, check: () => void): void => {
        try {
          check()
          told.push({ name, outcome: 'passed' })
        } catch {
          told.push({ name, outcome: 'failed' })
        }
      }
      test.skip = (name: string): void => void told.push({ name, outcome: 'skipped' })
      const response = {
        code: status,
        headers: { get: () => 'application/json; charset=utf-8' },
        json: () => body,
        to: { have: { status: (wanted: number) => expect(status).toBe(wanted) } },
      }
      const pm = { test, expect: expectation, response, collectionVariables: { set: () => undefined } }
      new Function('pm', lines)(pm)
      return told
    }
    const refusal = (code: string) => ({
      payloadType: 'ErrorPayload',
      payloadVersion: '1',
      payload: { code, detail: 'Why.' },
    })
    const linesOf = (inFolder: string, of: string): string => {
      const item = items.find(({ folder, name }) => folder === inFolder && name === of)
      return item?.event.map(({ script }) => script.exec.join('\n')).join('\n') ?? ''
    }
    const outcomes = (lines: string, code: string) =>
      new Set(results(lines, 409, refusal(code)).map(({ outcome }) => outcome))
    const reset = linesOf('connector: change', 'POST reset')
    expect(outcomes(reset, 'no-database')).toEqual(new Set(['passed', 'skipped']))
    expect(outcomes(reset, 'wrong-state')).toContain('failed')
    expect(outcomes(linesOf('replicator: change', 'POST online'), 'not-configured')).not.toContain('failed')
    expect(outcomes(linesOf('manager: change', 'POST reset'), 'no-database')).toContain('failed')
    const map = { payloadType: 'ServicesMapPayload', payloadVersion: '1', payload: { services: [] } }
    expect(results(reset, 200, map).map(({ outcome }) => outcome)).toEqual(Array(4).fill('passed'))
  })

  it('has a valid body for every call that accepts one', () => {
    const ajv = new Ajv2020({ strict: false })
    const maps = { services: [{ name: 'a', datasources: [] }] }
    for (const component of components) {
      for (const { path, request } of componentRoutes(component)) {
        if (request === null) continue
        const text = (bodyOf(path, component) ?? '')
          .replace(/\{\{\w+Map\}\}/, JSON.stringify(maps))
          .replaceAll(/\{\{(\w+)\}\}/g, '$1')
        expect(ajv.validate(request, JSON.parse(text)), `${path}: ${ajv.errorsText()}`).toBe(true)
      }
    }
  })

  it('replaces no map by an empty one: without the map that was read, its body is not JSON', () => {
    const [body] = items.filter(({ name }) => name === 'POST configuration/module/servicesmap')
    expect(() => JSON.parse(body?.request.body?.raw.replace(/\{\{\w+\}\}/, '') ?? '{}')).toThrow()
  })

  it('uses only its own variables, and contains no password', () => {
    const known = new Map(read.variable.map(({ key, value }) => [key, value]))
    const named = [...JSON.stringify(read).matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name)
    expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([])
    expect([known.get('password'), known.get('newPassword')]).toEqual(['', ''])
  })

  it('sends a login only to calls that accept one', () => {
    const without = items.filter(({ request }) => request.auth !== undefined).map(({ name }) => name)
    expect([...new Set(without)]).toEqual(['GET ping', 'GET openapi.json', 'GET docs', 'GET health/live'])
  })

  it('skips the calls of a switch unless somebody names the new primary, and a stream, which has no end', () => {
    const guarded = items.flatMap(({ name, event }) => {
      const [, before] = event
      return before === undefined ? [] : [[name, before.script.exec.join('\n')]]
    })
    const script = (variable: string): string =>
      `if (!pm.variables.get('${variable}')) pm.execution.skipRequest()`
    expect(Object.fromEntries(guarded)).toEqual({
      'GET events': script('follow'),
      'GET task/{task}': script('task'),
      'POST control/change/{change}/undo': script('change'),
      'POST control/service/{service}/switch': script('newPrimary'),
      'POST control/service/{service}/failover': script('survivor'),
    })
    const told = items.find(({ name }) => name === 'POST control/service/{service}/switch')
    expect(told?.request.url.raw).toMatch(/\/switch\?i-am-sure=true&to=\{\{newPrimary\}\}$/)
    const values = new Map(read.variable.map(({ key, value }) => [key, value]))
    expect(['newPrimary', 'task', 'follow'].map((name) => values.get(name))).toEqual(['', '', ''])
  })

  it('has optional parameters switched off', () => {
    const [offline] = items.filter(
      ({ folder, name }) => folder === 'connector: change' && name === 'POST offline',
    )
    expect(offline?.request.url.query).toEqual([
      { key: 'i-am-sure', value: 'true' },
      expect.objectContaining({ key: 'immediate', value: 'true', disabled: true }),
      expect.objectContaining({ key: 'dry', value: 'yes', disabled: true }),
    ])
  })

  it('is empty for other documents than OpenAPI', () => {
    for (const nothing of [undefined, 'text', [], { paths: [] }, { paths: { '/x': 1 } }]) {
      expect(operationsOf(nothing)).toEqual([])
    }
  })
})
