import { describe, expect, it } from 'vitest'
import { layoutOf } from '../../../src/deployment/layout.ts'
import { installedManager, stopScript } from '../../../src/deployment/services/control.ts'
import { hostFacts, installationFacts } from '../../support/deploymentValues.ts'

const withUnit = hostFacts({
  installation: installationFacts({ units: new Map([['manager', '[Service]\n']]) }),
})

describe('what runs an installation', () => {
  it('is told by what is on the host, not by the file', () => {
    expect(installedManager(withUnit)).toBe('systemd')
    expect(installedManager(hostFacts())).toBe('process')
  })

  it('is stopped in both forms, so that a change of service-manager never leaves both', () => {
    const script = stopScript({
      manager: 'systemd',
      cluster: 'alpha',
      layout: layoutOf('/opt/muster'),
      components: ['manager'],
      drainTimeout: 0,
    })
    expect(script).toContain('stop /opt/muster/run/manager.pid')
    expect(script).toContain('systemctl stop muster-alpha-manager.service')
  })
})
