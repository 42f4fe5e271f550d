import { describe, expect, it } from 'vitest'
import { parseListeners } from '../../src/deployment/facts/listeners.ts'
import { judgeFacts } from '../../src/deployment/judge.ts'
import { hostConfig, hostFacts, installationFacts, proxy } from '../support/deploymentValues.ts'

const codes = (host = hostConfig(), facts = hostFacts()): string[] =>
  judgeFacts(host, facts, 'alpha').map(({ code }) => code)

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
      'a file system on which a Node.js that is sent cannot be run',
      hostConfig(),
      hostFacts({ installation: installationFacts({ noexec: true }) }),
      ['noexec'],
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

  it.each([
    // What is taken, as /proc/net/tcp6 has it, the address of the file, and the message of the refusal.
    ['B80D0120000000000000000001000000', '2001:db8::1', '[2001:db8::1]:8090'],
    ['B80D0120000000000000000002000000', '2001:db8::1', undefined],
    ['0000000000000000FFFF00000A00000B', '0.0.0.0', '11.0.0.10:8090'],
    ['0000000000000000FFFF000001000A0A', '10.10.0.1', '10.10.0.1:8090'],
    ['0000000000000000FFFF000000000000', '10.10.0.1', '0.0.0.0:8090'],
    ['00000000000000000000000001000000', '::', '[::1]:8090'],
    ['00000000000000000000000001000000', '0.0.0.0', undefined],
    ['00000000000000000000000000000000', '10.10.0.1', '[::]:8090'],
  ])('finds a taken port whatever form its address has: %s for %s', (hex, address, told) => {
    const listeners = parseListeners(`   0: ${hex}:1F9A 00000000000000000000000000000000:0000 0A 0`)
    const host = hostConfig({ apis: [{ component: 'manager', enabled: true, address, port: 8090 }] })
    const facts = hostFacts({ listeners, addresses: ['2001:db8::1', '10.10.0.1'] })
    expect(judgeFacts(host, facts, 'alpha').map(({ message }) => message)).toEqual(
      told === undefined ? [] : [`port 8090 of the manager is taken: something already listens on ${told}`],
    )
  })

  it('minds noexec only where a Node.js is sent', () => {
    const installation = installationFacts({ noexec: true })
    const node = { path: '/usr/bin/node', version: 'v24.1.0', rootOwned: true }
    expect(codes(hostConfig(), hostFacts({ installation, node }))).toEqual([])
    expect(codes(hostConfig({ connection: 'local' }), hostFacts({ installation }))).toEqual([])
    expect(codes(hostConfig({ runtime: 'upload' }), hostFacts({ installation, node }))).toEqual(['noexec'])
  })

  const open = (changes: Partial<typeof proxy> = {}) => hostConfig({ proxy: { ...proxy, ...changes } })
  const taken = (port: number) => [{ address: '127.0.0.1', port }]

  it.each([
    [
      'the clients’ port taken',
      open(),
      hostFacts({ listeners: taken(9999) }),
      'port-in-use',
      'application-port',
    ],
    [
      'the port for reading taken',
      open(),
      hostFacts({ listeners: taken(9998) }),
      'port-in-use',
      'application-readonly-port',
    ],
    [
      'a port that only root may open',
      open({ readonlyPort: 306 }),
      hostFacts({ systemd: false }),
      'privileged-port',
      'application-readonly-port',
    ],
    [
      'an address of another host, once',
      open({ address: '10.0.0.99' }),
      hostFacts(),
      'address-not-here',
      'application-address',
    ],
  ])('tells of a proxy: %s', (_, host, facts, code, option) => {
    const problems = judgeFacts(host, facts, 'alpha')
    expect(problems.map((problem) => problem.code)).toEqual([code])
    expect(problems[0]?.fix).toContain(option)
  })

  it('minds the ports of a proxy only where there is one, and lets our own connector keep them', () => {
    const listeners = [...taken(9999), ...taken(9998)]
    expect(codes(hostConfig(), hostFacts({ listeners }))).toEqual([])
    expect(codes(open({ port: 13306, readonlyPort: null }), hostFacts({ listeners }))).toEqual([])
    const withoutConnector = hostConfig().apis.filter(({ component }) => component !== 'connector')
    expect(codes({ ...open(), apis: withoutConnector }, hostFacts({ listeners }))).toEqual([])

    const settings = new Map([['connector' as const, JSON.stringify({ listen: null, proxy })]])
    const facts = hostFacts({
      listeners,
      services: new Map([['connector', { state: 'running', enabled: true }]]),
      installation: installationFacts({ settings }),
    })
    expect(codes(open(), facts)).toEqual([])
    expect(codes(open(), { ...facts, services: new Map() })).toEqual(['port-in-use', 'port-in-use'])
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
      'alpha',
    )
    expect(problem?.message).toBe(
      'port 8090 of the manager is taken: something already listens on 127.0.0.1:8090',
    )
    expect(problem?.fix).toContain('manager-rest-api-port')
  })
})
