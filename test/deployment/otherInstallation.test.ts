import { describe, expect, it } from 'vitest'
import { otherInstallation } from '../../src/deployment/otherInstallation.ts'
import { hostConfig, hostFacts, installationFacts } from '../support/deploymentValues.ts'

const judged = (manifest: string): string | undefined =>
  otherInstallation({
    cluster: 'alpha',
    host: hostConfig(),
    facts: hostFacts({ installation: installationFacts({ manifest }) }),
  })?.message

describe('otherInstallation', () => {
  it('lets the own installation be, and a folder that nobody installed to', () => {
    expect(judged('{"version":1,"cluster":"alpha","host":"db1"}')).toBeUndefined()
    expect(judged('something else')).toBeUndefined()
    expect(otherInstallation({ cluster: 'alpha', host: hostConfig(), facts: hostFacts() })).toBeUndefined()
  })

  it.each([
    ['cluster', '{"version":1,"cluster":"beta","host":"db1"}', 'host db1 of cluster beta'],
    ['host', '{"version":1,"cluster":"alpha","host":"db7"}', 'host db7 of cluster alpha'],
  ])('names that of another %s', (_, manifest, whose) => {
    expect(judged(manifest)).toBe(`/opt/muster holds the installation of ${whose}`)
  })
})
