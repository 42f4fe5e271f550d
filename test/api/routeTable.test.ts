import { describe, expect, it } from 'vitest'
import { createRouteTable } from '../../src/api/routeTable.ts'
import type { ServedRoute } from '../../src/api/serve.ts'
import { componentApis } from '../../src/components/componentApis.ts'
import { commonRoutes } from '../../src/contracts/commonRoutes.ts'
import { components } from '../../src/contracts/component.ts'

const served = (method: 'GET' | 'POST', path: string): ServedRoute => ({
  route: { ...commonRoutes.ping, method, path },
  handle: () => null,
})

const find = createRouteTable([
  served('GET', '/a/{x}/{y}'),
  served('GET', '/a/{x}/last'),
  served('GET', '/a/first/last'),
  served('GET', '/a/{x}'),
  served('POST', '/a/{x}'),
  served('GET', '/b'),
  { ...served('GET', '/closed'), route: { ...commonRoutes.users, path: '/closed' } },
])

describe('the route table', () => {
  it.each([
    ['/b', '/b', {}],
    ['/b/', '/b', {}],
    ['/a/1', '/a/{x}', { x: '1' }],
    ['/a/1/2', '/a/{x}/{y}', { x: '1', y: '2' }],
    ['/a/1/last', '/a/{x}/last', { x: '1' }],
    ['/a/first/last', '/a/first/last', {}],
    ['/a/%66irst/last', '/a/{x}/last', { x: 'first' }],
    ['/a/b%2Fc/%E2%82%AC', '/a/{x}/{y}', { x: 'b/c', y: '€' }],
    ['/a/{x}', '/a/{x}', { x: '{x}' }],
    ['/a/__proto__', '/a/{x}', { x: '__proto__' }],
  ])('finds %s at %s', (path, pattern, params) => {
    const found = find(path)
    expect([found?.resource.path, found?.params]).toEqual([pattern, params])
  })

  it.each([
    '',
    '/',
    '/b//',
    '/closed/',
    '//b',
    '/B',
    '/%62',
    '/a',
    '/a/',
    '/a//last',
    '/a/1/2/3',
    '/a/%zz',
    '/a/%E2%82',
    '/a/%',
  ])('finds nothing at %j', (path) => {
    expect(find(path)).toBeUndefined()
  })

  it('knows what a resource takes', () => {
    expect(find('/a/1')?.resource.allow).toBe('GET, HEAD, POST, OPTIONS')
    expect(find('/b')?.resource.allow).toBe('GET, HEAD, OPTIONS')
  })

  it.each(components)('finds every route of the %s as it is written', (component) => {
    const all = componentApis[component].served
    const table = createRouteTable(all)
    for (const it of all) {
      const found = table(it.route.path.replaceAll(/\{\w+\}/g, 'x'))?.resource
      expect(found?.path).toBe(it.route.path)
      expect(found?.served).toContain(it)
    }
  })
})
