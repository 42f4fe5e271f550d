import { describe, expect, it } from 'vitest'
import { commonRoutes } from '../../src/contracts/commonRoutes.ts'
import { openApiDocument } from '../../src/contracts/openapi.ts'

const routes = Object.values(commonRoutes)
const text = JSON.stringify(openApiDocument({ component: 'manager', version: '1.2.3', routes }))
const document = JSON.parse(text)

describe('openApiDocument', () => {
  it('says what it describes', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toEqual({ title: 'APIv2 of the manager', version: '1.2.3' })
  })

  it('describes every route and no other', () => {
    const described = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(described).toEqual(routes.map(({ method, path }) => `${method} ${path}`))
  })

  it('describes a guarded call wholly', () => {
    const call = document.paths['/api/v2/createAdminUser'].post
    expect(call.operationId).toBe('createAdminUser')
    expect(call.security).toEqual([{}, { basic: [] }])
    expect(call.parameters).toEqual([
      { name: 'i-am-sure', in: 'query', required: true, schema: { type: 'string', const: 'true' } },
    ])
    expect(call.requestBody.content['application/json'].schema.properties.payloadType.enum).toEqual([
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
      '413',
      '415',
      '421',
      '429',
      '431',
      '500',
      '503',
    ])
    expect(call.responses['200'].content['application/json'].schema.properties.payloadType).toEqual({
      type: 'string',
      const: 'StringPayload',
    })
  })

  it('names path parameters, and asks for no login where none is needed', () => {
    expect(document.paths['/api/v2/user/{user}'].get.parameters).toEqual([
      { name: 'user', in: 'path', required: true, schema: { type: 'string' } },
    ])
    expect(document.paths['/api/v2/ping'].get.security).toEqual([])
  })

  it('refers to nothing that it does not hold', () => {
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
