import { describe, expect, it } from 'vitest'
import { stopServices } from '../../../src/deployment/services/control.ts'
import { serviceSet } from '../../support/deploymentValues.ts'

describe('stopServices', () => {
  it('stops units and processes, so that a change of service-manager never leaves both', () => {
    const script = stopServices(serviceSet({ components: ['manager'] }))
    expect(script).toContain('stop manager 150; rm -f /opt/muster/share/processes/manager')
    expect(script).toContain('systemctl stop muster-alpha-manager.service')
  })
})
