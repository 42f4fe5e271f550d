import { describe, expect, it } from 'vitest'
import { installedManager, stopScript } from '../../../src/deployment/services/control.ts'
import { hostFacts, installationFacts, serviceSet } from '../../support/deploymentValues.ts'

const withUnit = hostFacts({
  installation: installationFacts({ units: new Map([['manager', '[Service]\n']]) }),
})

describe('what runs an installation', () => {
  it('is told by what is on the host, not by the file', () => {
    expect(installedManager(withUnit)).toBe('systemd')
    expect(installedManager(hostFacts())).toBe('process')
  })

  it('is stopped in both forms, so that a change of service-manager never leaves both', () => {
    const script = stopScript(serviceSet({ components: ['manager'] }))
    expect(script).toContain('stop manager 150; rm -f /opt/muster/share/processes/manager')
    expect(script).toContain('systemctl stop muster-alpha-manager.service')
  })
})
