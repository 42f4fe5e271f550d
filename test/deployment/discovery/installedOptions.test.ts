import { describe, expect, it } from 'vitest'
import { installedOptions } from '../../../src/deployment/discovery/installedOptions.ts'
import { hostFacts, proxy } from '../../support/deploymentValues.ts'
import { targetOf } from '../steps/target.ts'

/** Returns the options of the connector that a host was installed with. */
function ofConnector(changes: Partial<typeof proxy>) {
  const { components } = targetOf({ host: { proxy: { ...proxy, ...changes } } })
  const settings = new Map(components.map((it) => [it.settings.component, { ...it.settings }]))
  const facts = hostFacts()
  const installed = { ...facts, installation: { ...facts.installation, settings } }
  const manifest = { version: 1, cluster: 'alpha', host: 'db1' } as const
  const found = installedOptions({ folder: '/opt/muster', manifest, installed }, true)
  return Object.fromEntries([...found].filter(([name]) => name.startsWith('application-')))
}

describe('installedOptions', () => {
  it('finds a list, unless it is the default', () => {
    expect(ofConnector({})).toEqual({ 'application-readonly-port': 9998 })
    expect(ofConnector({ balancerNetworks: ['10.0.0.5', '10.0.1.0/24'] })).toEqual({
      'application-readonly-port': 9998,
      'application-proxy-networks': ['10.0.0.5', '10.0.1.0/24'],
    })
  })
})
