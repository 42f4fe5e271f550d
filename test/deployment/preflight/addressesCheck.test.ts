import { describe, expect, it } from 'vitest'
import { installationProblems } from '../../../src/deployment/preflight/checks.ts'
import { proxy } from '../../support/deploymentValues.ts'
import { reasons, subject } from './values.ts'

describe('the addresses check', () => {
  it('fails for an address of another host', () => {
    const api = { component: 'manager' as const, enabled: true, address: '10.0.0.99', port: 8090 }
    expect(reasons('addresses', [subject({ host: { apis: [api] } })])).toEqual([
      'failure: manager-rest-api-address is 10.0.0.99, which is not an address of this host (it has 10.0.0.11)',
    ])
  })

  it('reports an address that two ports of a proxy share once', () => {
    const problems = installationProblems(subject({ host: { proxy: { ...proxy, address: '10.0.0.99' } } }))
    expect(problems.map(({ code }) => code)).toEqual(['address-not-here'])
    expect(problems[0]?.fix).toContain('application-address')
  })
})
