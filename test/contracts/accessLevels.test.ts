import { describe, expect, it } from 'vitest'
import { accessLevels, allows, isAccessLevel } from '../../src/contracts/accessLevels.ts'
import { components } from '../../src/contracts/component.ts'
import { hostRoutes } from '../../src/contracts/hostRoutes.ts'
import { accessFor } from '../../src/contracts/route.ts'
import { componentRoutes } from '../support/componentRoutes.ts'

describe('the access levels', () => {
  it('are ordered, and each allows what it needs and all below', () => {
    const allowed = accessLevels.map((has) => accessLevels.filter((needed) => allows(has, needed)))
    expect(allowed).toEqual([['read'], ['read', 'operate'], ['read', 'operate', 'full']])
  })

  it.each(['', 'READ', 'admin', 'toString', 0, null, undefined, ['read']])('do not include %j', (word) => {
    expect(isAccessLevel(word)).toBe(false)
  })

  it('let operate change states, and nothing else', () => {
    const calls = components.flatMap((component) =>
      componentRoutes(component).filter((route) => accessFor(route) === 'operate'),
    )
    expect(calls.map(({ method, path }) => `${method} ${path.replace('/api/v2/', '')}`)).toEqual([
      'POST manager/control/service/{service}/offline',
      'POST manager/control/service/{service}/online',
      'POST manager/control/service/{service}/datasource/{datasource}/offline',
      'POST manager/control/service/{service}/datasource/{datasource}/online',
      'POST manager/control/service/{service}/datasource/{datasource}/shun',
      'POST manager/control/service/{service}/datasource/{datasource}/welcome',
      'POST manager/control/service/{service}/datasource/{datasource}/recover',
      'POST manager/control/service/{service}/policy/automatic',
      'POST manager/control/service/{service}/policy/manual',
      'POST manager/control/service/{service}/policy/maintenance',
      'POST manager/control/service/{service}/switch',
      'POST manager/control/service/{service}/failover',
      'POST manager/control/change/{change}/undo',
      'POST connector/online',
      'POST connector/onhold',
      'POST connector/offline',
      'POST replicator/online',
      'POST replicator/service/{service}/online',
      'POST replicator/offline',
      'POST replicator/service/{service}/offline',
    ])
  })

  it('let read make every GET that needs a login, and no POST', () => {
    const routes = [...components.flatMap(componentRoutes), ...Object.values(hostRoutes)]
    for (const route of routes) {
      const level = accessFor(route)
      if (route.auth === 'none' || route.auth === 'optional') expect(level, route.name).toBeUndefined()
      else expect(level === 'read', route.name).toBe(route.method === 'GET')
    }
  })
})
