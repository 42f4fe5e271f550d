import { describe, expect, it } from 'vitest'
import type { Subject } from '../../../src/deployment/preflight/checkContract.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import { clusterConfig, reasons, subject } from './values.ts'

describe('the own-name check', () => {
  const host = { name: 'db1', address: 'one.example.org' }
  const datasources = [{ name: 'db1', host: 'one.example.org', port: 3306, role: 'primary' as const }]
  const config = { ...clusterConfig([hostConfig(host)]), services: [{ name: 'alpha', datasources }] }
  const withHosts = (hostsFile: string): Subject => subject({ host, observed: { hostsFile } })

  it("warns about 127.0.1.1 if a component connects to the host's own name", () => {
    const looped = withHosts(
      '127.0.0.1 localhost # 127.0.0.9 one.example.org\n127.0.1.1\tone.example.org one\n',
    )
    expect(reasons('own-name', [looped], { config })).toEqual([
      'warning: its /etc/hosts has 127.0.1.1 one.example.org, so its components reach its database only over loopback, unlike the other hosts',
    ])
    expect(reasons('own-name', [looped])).toEqual([
      'ok: /etc/hosts has 127.0.1.1 one.example.org, but no component connects to that name',
    ])
    expect(reasons('own-name', [withHosts('10.0.0.11 one.example.org\n')], { config })).toEqual([
      'ok: no loopback address',
    ])
  })

  it.each(['0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'])(
    'warns about a loopback address in another notation: %s',
    (address) => {
      const [found] = reasons('own-name', [withHosts(`${address} one.example.org\n`)], { config })
      expect(found).toMatch(/^warning: /)
    },
  )
})
