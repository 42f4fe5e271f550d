import { describe, expect, it } from 'vitest'
import { commonRoutes } from '../../src/contracts/commonRoutes.ts'
import { components } from '../../src/contracts/component.ts'
import type { OpenApiDocument, OpenApiOperation } from '../../src/contracts/openApiTypes.ts'
import { openApiDocument } from '../../src/contracts/openapi.ts'
import { componentRoutes } from '../support/componentRoutes.ts'
import { schemaCheck } from '../support/schemaCheck.ts'

const routes = Object.values(commonRoutes)
const text = JSON.stringify(
  openApiDocument({ component: 'manager', version: '1.2.3', routes, server: 'https://db1:8090' }),
)
const document = JSON.parse(text)

describe('openApiDocument', () => {
  it('describes its component and its server', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toMatchObject({
      title: 'APIv2 of the manager',
      version: '1.2.3',
      license: { name: 'MIT', identifier: 'MIT' },
    })
    expect(document.servers).toEqual([
      { url: 'https://db1:8090', description: 'The manager that serves this document' },
    ])
  })

  it('describes every route and no other', () => {
    const described = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(described).toEqual(routes.map(({ method, path }) => `${method} ${path}`))
  })

  it('describes all of a guarded call', () => {
    const call = document.paths['/api/v2/createAdminUser'].post
    expect(call.operationId).toBe('createAdminUser')
    expect(call.security).toEqual([{}, { basic: [] }])
    expect(call.parameters).toEqual([
      {
        name: 'i-am-sure',
        in: 'query',
        required: true,
        description: expect.stringContaining('Confirms'),
        schema: { type: 'string', const: 'true' },
        example: 'true',
      },
    ])
    expect(call.requestBody.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/CredentialsRequest',
    })
    expect(document.components.schemas.CredentialsRequest.properties.payloadType.enum).toEqual([
      'credentials',
      'CredentialsPayload',
    ])
    expect(Object.keys(call.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '406',
      '408',
      '409',
      '413',
      '415',
      '421',
      '429',
      '431',
      '500',
      '503',
    ])
    expect(call.responses['200'].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/StringResponse',
    })
    expect(document.components.schemas.StringResponse.properties).toEqual({
      payloadType: { type: 'string', const: 'StringPayload' },
      payloadVersion: { type: 'string', const: '1' },
      payload: { $ref: '#/components/schemas/StringPayload' },
    })
  })

  it('describes path parameters, and requires no login for open calls', () => {
    expect(document.paths['/api/v2/user/{user}'].get.parameters).toEqual([
      {
        name: 'user',
        in: 'path',
        required: true,
        description: 'Name of a user of this host.',
        schema: { type: 'string' },
        example: 'admin',
      },
    ])
    expect(document.paths['/api/v2/ping'].get.security).toEqual([])
  })

  it('contains every schema that it refers to', () => {
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? '')
    expect(references.length).toBeGreaterThan(10)
    for (const path of references) {
      expect(
        path.split('/').reduce((value, name) => value?.[name], document),
        path,
      ).toBeDefined()
    }
  })
})

describe.each(components)('the OpenAPI document of the %s', (component) => {
  const made = openApiDocument({
    component,
    version: '1.2.3',
    routes: componentRoutes(component),
    server: 'https://db1:8090',
  })
  const document: OpenApiDocument = JSON.parse(JSON.stringify(made))
  const operations: readonly OpenApiOperation[] = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods),
  )
  const check = schemaCheck(document.components)

  it('has an example for every request and response, each valid by its schema', () => {
    const contents = [
      ...operations.flatMap(({ operationId, requestBody, responses }) =>
        [requestBody?.content, ...Object.values(responses).map((it) => it.content)].flatMap((content) =>
          content === undefined ? [] : [{ operationId, content }],
        ),
      ),
      { operationId: 'Problem', content: document.components.responses.Problem?.content ?? {} },
    ]
    expect(contents.length).toBeGreaterThan(operations.length)
    for (const { operationId, content } of contents) {
      for (const { schema, example } of Object.values(content)) {
        expect(example, operationId).toBeDefined()
        expect(check(schema, example), operationId).toBe('')
      }
    }
  })

  it('has a description for every parameter, and a valid example for every required one', () => {
    const parameters = operations.flatMap((it) => it.parameters)
    expect(parameters.length).toBeGreaterThan(0)
    for (const { name, description, required, schema, example } of parameters) {
      expect(description, name).toMatch(/^.{10,}\.$/)
      if (required) expect(check(schema, example), name).toBe('')
    }
  })

  it('groups every call by a described tag, and describes no unused tag', () => {
    const used = operations.flatMap((it) => it.tags)
    expect(used).toHaveLength(operations.length)
    expect(new Set(document.tags.map(({ name }) => name))).toEqual(new Set(used))
    for (const { name, description } of document.tags) expect(description, name).toMatch(/\.$/)
  })

  it('names the schema of every JSON body and of every object in it, and no unused one', () => {
    const bodies = operations.flatMap(({ requestBody, responses }) => [
      ...Object.entries(requestBody?.content ?? {}),
      ...Object.values(responses).flatMap(({ content }) => Object.entries(content ?? {})),
    ])
    for (const [mediaType, { schema }] of bodies) {
      if (mediaType === 'application/json') {
        expect(Object.keys(schema)).toEqual(['$ref'])
        expect(schema.$ref).toMatch(/^#\/components\/schemas\/[A-Z][A-Za-z]+$/)
      }
    }
    const text = JSON.stringify(document)
    for (const name of Object.keys(document.components.schemas)) {
      expect(text, name).toContain(`"#/components/schemas/${name}"`)
    }
  })

  it('gives every enum its type, as code generators need it', () => {
    const words = [...JSON.stringify(document).matchAll(/\{[^{}]*"enum":\[[^{}]*\}/g)].map(([found]) => found)
    expect(words.length).toBeGreaterThan(1)
    for (const found of words) expect(found).toContain('"type":"string"')
  })

  it('has a response schema with its own payload type for each call', () => {
    for (const route of componentRoutes(component)) {
      if (route.response.kind !== 'payload') continue
      const { content } = document.paths[route.path]?.[route.method.toLowerCase()]?.responses['200'] ?? {}
      const name = String(content?.['application/json']?.schema.$ref).split('/').at(-1) ?? ''
      const schema = JSON.stringify(document.components.schemas[name])
      expect(schema, name).toContain(`"const":"${route.response.payloadType}"`)
    }
  })
})
