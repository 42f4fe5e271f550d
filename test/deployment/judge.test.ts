import { describe, expect, it } from 'vitest'
import { judgeFacts } from '../../src/deployment/judge.ts'
import { hostConfig, hostFacts, installationFacts } from '../support/deploymentValues.ts'

const codes = (host = hostConfig(), facts = hostFacts()): string[] =>
  judgeFacts(host, facts).map(({ code }) => code)

describe('judgeFacts', () => {
  it('has nothing against a fresh host', () => {
    expect(codes()).toEqual([])
  })

  it.each([
    ['another kernel', hostConfig(), hostFacts({ kernel: 'Darwin' }), ['unsupported-system']],
    ['another processor', hostConfig(), hostFacts({ machine: 's390x' }), ['unsupported-system']],
    [
      'systemd without systemd',
      hostConfig({ serviceManager: 'systemd' }),
      hostFacts({ systemd: false }),
      ['no-systemd'],
    ],
    [
      'systemd without root',
      hostConfig({ serviceManager: 'systemd' }),
      hostFacts({ uid: 1000, login: 'ops' }),
      ['not-enough-rights'],
    ],
    [
      'another user without root',
      hostConfig({ user: 'muster' }),
      hostFacts({ uid: 1000, login: 'ops' }),
      ['not-enough-rights'],
    ],
    [
      'a folder that may not be written',
      hostConfig(),
      hostFacts({ uid: 1000, login: 'ops', installation: installationFacts({ writable: false }) }),
      ['not-enough-rights'],
    ],
    [
      'a full disk',
      hostConfig(),
      hostFacts({ installation: installationFacts({ freeBytes: 1024 }) }),
      ['disk-full'],
    ],
    [
      'a port that another program has',
      hostConfig(),
      hostFacts({ listeners: [{ address: '0.0.0.0', port: 8096 }] }),
      ['port-in-use'],
    ],
    [
      'a port that only root may open',
      hostConfig({ apis: [{ component: 'manager', enabled: true, address: '127.0.0.1', port: 443 }] }),
      hostFacts({ systemd: false }),
      ['privileged-port'],
    ],
    [
      'an address of another host',
      hostConfig({
        apis: [{ component: 'manager', enabled: true, address: '10.0.0.99', port: 8090 }],
      }),
      hostFacts(),
      ['address-not-here'],
    ],
  ])('tells %s', (_, host, facts, expected) => {
    expect(codes(host, facts)).toEqual(expected)
  })

  it('lets our own components listen where they are', () => {
    const settings = new Map([['manager' as const, '{"listen":{"address":"127.0.0.1","port":8090}}']])
    const facts = hostFacts({
      listeners: [{ address: '127.0.0.1', port: 8090 }],
      services: new Map([['manager', { state: 'running', enabled: true }]]),
      installation: installationFacts({ settings }),
    })
    expect(codes(hostConfig(), facts)).toEqual([])
    expect(codes(hostConfig(), { ...facts, services: new Map() })).toEqual(['port-in-use'])
  })

  it('lets systemd services have a port that only root may open', () => {
    const apis = [{ component: 'manager' as const, enabled: true, address: '127.0.0.1', port: 443 }]
    expect(codes(hostConfig({ apis }), hostFacts())).toEqual([])
  })

  it('does not mind a port whose API is switched off', () => {
    const apis = hostConfig().apis.map((api) => ({ ...api, enabled: false }))
    expect(codes(hostConfig({ apis }), hostFacts({ listeners: [{ address: '::', port: 8090 }] }))).toEqual([])
  })

  it('says which port, who could have it, and what to do', () => {
    const [problem] = judgeFacts(
      hostConfig(),
      hostFacts({ listeners: [{ address: '127.0.0.1', port: 8090 }] }),
    )
    expect(problem?.message).toBe(
      'port 8090 of the manager is taken: something already listens on 127.0.0.1:8090',
    )
    expect(problem?.fix).toContain('manager-rest-api-port')
  })
})
