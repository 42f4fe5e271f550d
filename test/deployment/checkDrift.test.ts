import { describe, expect, it } from 'vitest'
import type { InspectedHost } from '../../src/deployment/certificates/checkCertificates.ts'
import { checkDrift, type DriftOfHost, withoutConsequences } from '../../src/deployment/checkDrift.ts'
import type { HostUsers } from '../../src/deployment/users/hostUsers.ts'
import { foundCertificate } from '../support/certificateValues.ts'
import { hostConfig } from '../support/deploymentValues.ts'

const host = (changes: Partial<DriftOfHost> = {}): DriftOfHost => ({
  ...{ host: 'db1', address: '10.0.0.11', state: 'checked', results: [] },
  ...{ isInstalled: true, stopped: [], changes: [] },
  ...changes,
})

const certificates = (changes: Partial<InspectedHost['certificates']> = {}): InspectedHost => ({
  host: hostConfig({ name: 'db1' }),
  certificates: {
    ...{ host: 'db1', address: '10.0.0.11', state: 'up', origin: 'muster' },
    components: [
      { component: 'manager', listen: null },
      { component: 'connector', listen: null },
    ],
    ...changes,
  },
})

const users = (changes: Partial<HostUsers> = {}): HostUsers => ({
  ...{ host: 'db1', state: 'up', users: [] },
  components: (['manager', 'connector'] as const).map((component) => ({
    ...{ component, where: 'its socket', logins: new Map() },
  })),
  ...changes,
})

const span = { file: 'db1.yaml', line: 1, column: 1, endLine: 1, endColumn: 1 }

/** Components whose certificates and users are still shown, and the findings of the hosts. */
const left = (one: DriftOfHost, ofCertificates = certificates(), ofUsers = users()) => {
  const seen = withoutConsequences({ hosts: [one], certificates: [ofCertificates], users: [ofUsers] })
  return {
    found: checkDrift(seen.hosts, () => span).map(({ code, message }) => `${code}: ${message}`),
    certificates: seen.certificates.flatMap((it) => it.certificates.components.map((of) => of.component)),
    databases: seen.certificates.flatMap((it) => it.certificates.database ?? []),
    users: seen.users.flatMap((it) => it.components.map((of) => of.component)),
  }
}

describe('the drift of a host', () => {
  it('names a stopped component, and not the silence that follows', () => {
    expect(left(host({ stopped: ['connector'] }))).toEqual({
      found: ['drift-component-stopped: The connector of db1 does not run.'],
      certificates: ['manager'],
      databases: [],
      users: ['manager'],
    })
  })

  it('is that the host is unreachable, once, if it was lost while it was examined', () => {
    const detail = 'the connection was lost'
    const lost = {
      found: ['drift-host-unreachable: db1 is unreachable: the connection was lost'],
      certificates: [],
      databases: [],
      users: [],
    }
    expect(left(host({ changes: ['start'] }), certificates({ state: 'unreachable', detail }))).toEqual(lost)
    expect(left(host(), certificates(), users({ state: 'unreachable', detail }))).toEqual(lost)
  })

  it('has the certificate of a database, and no login there that the checks name already', () => {
    const listen = { address: '127.0.0.1', port: 3306 }
    const served = { listen, served: foundCertificate() }
    expect(left(host(), certificates({ database: served })).databases).toEqual([served])
    const refused = { listen, detail: 'It has expired.', unproven: true as const }
    expect(left(host(), certificates({ database: refused })).databases).toEqual([])
  })

  it('has no certificates and users of a host without an installation', () => {
    const {
      certificates: of,
      users: others,
      found,
    } = left(host({ isInstalled: false, stopped: ['manager'] }))
    expect([...of, ...others, ...found]).toEqual([])
  })
})
