import { describe, expect, it } from 'vitest'
import { memberOf } from '../../../src/base/json.ts'
import { parseFacts } from '../../../src/deployment/facts/parseFacts.ts'
import { factsSharing } from '../../../src/deployment/facts/shareFacts.ts'
import { hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { heapInUse } from '../../support/heapInUse.ts'

const nonce = '0'.repeat(32)

/** Output of the facts script on a host with a services map of 500 data sources, about 100 KB. */
function printed(host: string): string {
  const datasources = Array.from({ length: 500 }, (_, index) => ({
    ...{ name: `db${index}`, host: `10.0.0.${index}`, port: 3306, role: 'replica' },
  }))
  const settings = { host, services: { services: [{ name: 's1', datasources }] } }
  const path = '/opt/muster/share/manager.json'
  return [
    `hostname\tthe name of the host ${host}`,
    `text\tsettings-manager\t${path}`,
    ...JSON.stringify(settings, null, 2)
      .split('\n')
      .map((line) => `${path}:${line}`),
    'text\tunit-manager\t/etc/systemd/system/manager.service',
    `/etc/systemd/system/manager.service:${'x'.repeat(3000)}`,
    `file\t${path}\t644\troot:root`,
    `${'a'.repeat(64)}  ${path}`,
  ]
    .map((row) => `${nonce}\t${row}\n`)
    .join('')
}

describe('factsSharing', () => {
  it('takes memory for the services map and the definitions of a service once for all hosts', () => {
    const share = factsSharing()
    const survey = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        share(parseFacts(`db${index}`, { output: printed(`db${index}`), nonce })),
      )
    const first = survey(2)
    const before = heapInUse()
    const hosts = survey(100)
    const perHost = (heapInUse() - before) / hosts.length
    expect(perHost).toBeLessThan(8 * 1024)
    const servicesOf = (host: (typeof hosts)[number] | undefined) =>
      memberOf(host?.installation.settings.get('manager'), 'services')
    expect(servicesOf(hosts[99])).toBe(servicesOf(first[0]))
    expect(servicesOf(hosts[99])).toHaveProperty('services.0.name', 's1')
  })

  it('keeps settings that differ, and those that are no JSON', () => {
    const share = factsSharing()
    const of = (settings: unknown) =>
      share(
        hostFacts({
          installation: installationFacts({ settings: new Map([['manager', settings] as const]) }),
        }),
      ).installation.settings.get('manager')
    expect(of({ proxy: { port: 1 }, host: 'db1' })).toEqual({ proxy: { port: 1 }, host: 'db1' })
    expect(of({ proxy: { port: 2 }, host: 'db2' })).toEqual({ proxy: { port: 2 }, host: 'db2' })
    expect(of(undefined)).toBeUndefined()
    expect(of(['a'])).toEqual(['a'])
  })
})
