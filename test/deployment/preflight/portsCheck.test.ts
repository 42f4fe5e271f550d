import { describe, expect, it } from 'vitest'
import { parseListeners } from '../../../src/deployment/facts/parseFacts.ts'
import { installationProblems } from '../../../src/deployment/preflight/checks.ts'
import { hostConfig, hostFacts, installationFacts, proxy } from '../../support/deploymentValues.ts'

const cluster = 'alpha'
const codes = (host = hostConfig(), facts = hostFacts()): string[] =>
  installationProblems({ cluster, host, facts }).map(({ code }) => code)

describe('the ports check', () => {
  it.each([
    // The occupied address as /proc/net/tcp6 has it, the address of the file, and the place in the message.
    ['B80D0120000000000000000001000000', '2001:db8::1', '[2001:db8::1]:8090'],
    ['B80D0120000000000000000002000000', '2001:db8::1', undefined],
    ['0000000000000000FFFF00000A00000B', '0.0.0.0', '11.0.0.10:8090'],
    ['0000000000000000FFFF000001000A0A', '10.10.0.1', '10.10.0.1:8090'],
    ['0000000000000000FFFF000000000000', '10.10.0.1', '0.0.0.0:8090'],
    ['00000000000000000000000001000000', '::', '[::1]:8090'],
    ['00000000000000000000000001000000', '0.0.0.0', undefined],
    ['00000000000000000000000000000000', '10.10.0.1', '[::]:8090'],
  ])('finds a used port in every notation of its address: %s for %s', (hex, address, place) => {
    const listeners = parseListeners(`   0: ${hex}:1F9A 00000000000000000000000000000000:0000 0A 0`)
    const host = hostConfig({ apis: [{ component: 'manager', enabled: true, address, port: 8090 }] })
    const facts = hostFacts({ listeners, addresses: ['2001:db8::1', '10.10.0.1'] })
    expect(installationProblems({ cluster, host, facts }).map(({ message }) => message)).toEqual(
      place === undefined ? [] : [`port 8090 of the manager is in use: another program listens on ${place}`],
    )
  })

  const open = (changes: Partial<typeof proxy> = {}) => hostConfig({ proxy: { ...proxy, ...changes } })
  const taken = (port: number) => [{ address: '127.0.0.1', port }]

  it.each([
    [
      'a taken port for clients',
      open(),
      hostFacts({ listeners: taken(9999) }),
      'port-in-use',
      'application-port',
    ],
    [
      'a taken port for reading',
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
  ])('rejects a proxy with %s', (_, host, facts, code, option) => {
    const problems = installationProblems({ cluster, host, facts })
    expect(problems.map((problem) => problem.code)).toEqual([code])
    expect(problems[0]?.fix).toContain(option)
  })

  it("checks proxy ports only with a proxy, and accepts those of muster's own connector", () => {
    const listeners = [...taken(9999), ...taken(9998)]
    expect(codes(hostConfig(), hostFacts({ listeners }))).toEqual([])
    expect(codes(open({ port: 13306, readonlyPort: null }), hostFacts({ listeners }))).toEqual([])
    const withoutConnector = hostConfig().apis.filter(({ component }) => component !== 'connector')
    expect(codes({ ...open(), apis: withoutConnector }, hostFacts({ listeners }))).toEqual([])

    const settings = new Map([['connector' as const, { listen: null, proxy }]])
    const facts = hostFacts({
      listeners,
      services: new Map([['connector', { state: 'running', enabled: true }]]),
      installation: installationFacts({ settings }),
    })
    expect(codes(open(), facts)).toEqual([])
    expect(codes(open(), { ...facts, services: new Map() })).toEqual(['port-in-use', 'port-in-use'])
  })

  it("accepts ports of muster's own components", () => {
    const settings = new Map([['manager' as const, { listen: { address: '127.0.0.1', port: 8090 } }]])
    const facts = hostFacts({
      listeners: [{ address: '127.0.0.1', port: 8090 }],
      services: new Map([['manager', { state: 'running', enabled: true }]]),
      installation: installationFacts({ settings }),
    })
    expect(codes(hostConfig(), facts)).toEqual([])
    expect(codes(hostConfig(), { ...facts, services: new Map() })).toEqual(['port-in-use'])
  })

  it('accepts a privileged port for systemd services', () => {
    const apis = [{ component: 'manager' as const, enabled: true, address: '127.0.0.1', port: 443 }]
    expect(codes(hostConfig({ apis }), hostFacts())).toEqual([])
  })

  it('ignores the port of a disabled API', () => {
    const apis = hostConfig().apis.map((api) => ({ ...api, enabled: false }))
    expect(codes(hostConfig({ apis }), hostFacts({ listeners: [{ address: '::', port: 8090 }] }))).toEqual([])
  })

  it('names the port, its listener, and the option to change', () => {
    const facts = hostFacts({ listeners: [{ address: '127.0.0.1', port: 8090 }] })
    const [problem] = installationProblems({ cluster, host: hostConfig(), facts })
    expect(problem?.message).toBe(
      'port 8090 of the manager is in use: another program listens on 127.0.0.1:8090',
    )
    expect(problem?.fix).toContain('manager-rest-api-port')
  })
})
