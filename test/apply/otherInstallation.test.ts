import { describe, expect, it } from 'vitest'
import { otherInstallation } from '../../src/apply/otherInstallation.ts'
import type { InstallationFacts } from '../../src/deployment/facts/hostFacts.ts'
import { preview } from '../../src/deployment/hostPlan.ts'
import { layoutOf } from '../../src/deployment/layout.ts'
import { manifestText } from '../../src/deployment/manifest.ts'
import { uninstallPlan } from '../../src/deployment/plans/uninstallPlan.ts'
import { hostFacts, installationFacts } from '../support/deploymentValues.ts'

const [here, there] = ['e'.repeat(32), 'f'.repeat(32)]
const host = {
  ...{ name: 'db1', address: '10.0.0.1', installDirectory: '/opt/muster' },
  serviceManager: 'systemd',
} as const
const manifest = (machineId?: string, cluster = 'alpha'): string =>
  manifestText({ version: 1, cluster, host: 'db1', ...(machineId === undefined ? {} : { machineId }) })
const factsOf = (installation: Partial<InstallationFacts>) =>
  hostFacts({
    machineId: here,
    services: new Map([['manager', { state: 'running', enabled: true }]]),
    installation: installationFacts(installation),
  })
const codeOf = (of: Partial<Parameters<typeof otherInstallation>[0]['host']>, facts = factsOf({})) =>
  otherInstallation({ cluster: 'alpha', host: { ...host, ...of } }, facts)?.code

describe('an installation that is not the one of a bundle', () => {
  it('is none on a fresh host, and none of the same host, folder and machine', () => {
    expect(codeOf({})).toBeUndefined()
    expect(codeOf({ machineId: here }, factsOf({ manifest: manifest(here) }))).toBeUndefined()
  })

  it('is one of another cluster', () => {
    expect(codeOf({}, factsOf({ manifest: manifest(here, 'beta') }))).toBe('other-installation')
  })

  it('is one in another folder, whose components a removal would stop', () => {
    const unit = 'ExecStart="/srv/it/current/node" "/srv/it/current/muster-api.cjs" serve\n'
    const facts = factsOf({ units: new Map([['manager', unit]]) })
    expect(codeOf({}, facts)).toBe('installed-elsewhere')
    const layout = layoutOf(host.installDirectory)
    expect(preview(uninstallPlan({ cluster: 'alpha', layout, facts }), facts)).not.toEqual([])
    expect(codeOf({ installDirectory: '/srv/it' }, facts)).toBeUndefined()
  })

  it('is one on another machine than the bundle or the installation names, unless it was replaced', () => {
    expect(codeOf({ machineId: there })).toBe('other-machine')
    const cloned = factsOf({ manifest: manifest(there) })
    expect(codeOf({}, cloned)).toBe('other-machine')
    expect(codeOf({ replaced: true }, cloned)).toBeUndefined()
  })
})
