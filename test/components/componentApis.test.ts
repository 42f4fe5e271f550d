import { describe, expect, it } from 'vitest'
import { componentApis } from '../../src/components/componentApis.ts'
import { commonRoutes } from '../../src/contracts/commonRoutes.ts'
import { components } from '../../src/contracts/component.ts'
import { adminLogin, testApi } from '../support/testApi.ts'

describe('the three components', () => {
  it.each(components)('the %s names itself and serves the common calls, each route once', (component) => {
    const { component: name, served } = componentApis[component]
    expect(name).toBe(component)
    const routes = served.map(({ route }) => route)
    expect(routes).toEqual(expect.arrayContaining(Object.values(commonRoutes)))
    expect(new Set(routes.map((it) => it.name)).size).toBe(routes.length)
    expect(new Set(routes.map((it) => `${it.method} ${it.path}`)).size).toBe(routes.length)
  })

  it.each(components)('the %s does not pretend calls that are not there', async (component) => {
    const { call } = await testApi({ served: componentApis[component].served, context: { component } })
    const headers = { authorization: adminLogin }
    const others = components.filter((it) => it !== component).map((it) => `${it}/status`)
    for (const path of [...others, 'reset', 'online']) {
      for (const method of ['GET', 'POST'] as const) {
        const answer = await call({ method, url: `/api/v2/${path}?i-am-sure=true`, headers })
        expect([path, answer.statusCode]).toEqual([path, 404])
      }
    }
  })
})
