import { describe, expect, it } from 'vitest'
import type { AuthorityRetirement } from '../../../src/deployment/certificates/authorityRotation.ts'
import {
  clientsText,
  droppedAuthoritiesText,
  outsideSwitchDoneText,
  outsideSwitchStoppedText,
  outsideSwitchText,
} from '../../../src/output/deployment/rotation.ts'

describe('the notes of an authority rotation about clients', () => {
  const file = '.muster/alpha/authority.crt'

  it('say that they need the new certificate, and explain --trust-only', () => {
    expect(clientsText('trust', { file, trustOnly: false })).toEqual([
      "other clients need the new authority's certificate before phase 2; phase 1 adds it to .muster/alpha/authority.crt",
      'to give it to them first, answer no and use --trust-only: the run then ends when every host trusts both',
    ])
  })

  it('do not offer --trust-only if it is set or too late', () => {
    expect(clientsText('trust', { file, trustOnly: true })[1]).toBe(
      'this run ends after phase 1 (--trust-only)',
    )
    for (const phase of ['move', 'drop'] as const) {
      const lines = clientsText(phase, { file, trustOnly: false })
      expect(lines).toEqual([
        expect.stringMatching(/^other clients must (already )?trust the new authority.*authority\.crt/),
      ])
    }
  })
})

const [corp, acme] = ['CN=Corp Root', 'CN=Acme']

const told = (leaving: AuthorityRetirement, left: readonly string[] = []): string =>
  [...outsideSwitchText(leaving, '.muster/alpha/authority.crt'), outsideSwitchDoneText(leaving, left)].join(
    '\n',
  )

describe('the return from external authorities', () => {
  it('is described with the trusted authorities and the clients to update', () => {
    expect(told({ hosts: ['db1'], dropped: [corp], retained: [] }, ['db2', 'db3'])).toMatchInlineSnapshot(`
      "phase 1 of 2: db1 gets a certificate of the cluster's own authority; CN=Corp Root is still trusted
      then phase 2 of 2: the hosts stop trusting CN=Corp Root
      other clients that trust only CN=Corp Root must trust .muster/alpha/authority.crt first
      db1 serves a certificate of the cluster's own authority, which install renews from now on. db2 and db3 trust CN=Corp Root until the next muster install."
    `)
    expect(
      told({ hosts: ['db1', 'db2'], dropped: [corp], retained: [{ authority: acme, hosts: ['db3'] }] }),
    ).toMatchInlineSnapshot(`
      "phase 1 of 2: db1 and db2 get certificates of the cluster's own authority; CN=Corp Root and CN=Acme are still trusted
      then phase 2 of 2: the hosts stop trusting CN=Corp Root
      CN=Acme stays trusted: db3 has a certificate from it
      other clients that trust only CN=Corp Root and CN=Acme must trust .muster/alpha/authority.crt first
      db1 and db2 serve certificates of the cluster's own authority, which install renews from now on."
    `)
    expect(
      told({ hosts: ['db1'], dropped: [], retained: [{ authority: corp, hosts: ['db2', 'db3'] }] }, ['db2']),
    ).toMatchInlineSnapshot(`
      "db1 gets a certificate of the cluster's own authority; CN=Corp Root is still trusted
      CN=Corp Root stays trusted: db2 and db3 have certificates from it
      other clients that trust only CN=Corp Root must trust .muster/alpha/authority.crt first
      db1 serves a certificate of the cluster's own authority, which install renews from now on."
    `)
    expect(outsideSwitchText({ hosts: [], dropped: [], retained: [] }, '')).toMatchInlineSnapshot(`
      [
        "no selected host has a certificate of an external authority",
      ]
    `)
    expect(droppedAuthoritiesText([corp, acme])).toMatchInlineSnapshot(
      `"phase 2 of 2: the hosts stop trusting CN=Corp Root and CN=Acme"`,
    )
  })

  it('is described if it stopped', () => {
    expect(outsideSwitchStoppedText(['db1'])).toMatchInlineSnapshot(
      `"db1 has no verified new certificate: the state directory keeps its certificate of the external authority. Run the same command again to continue."`,
    )
    expect(outsideSwitchStoppedText(['db1', 'db2'])).toMatchInlineSnapshot(
      `"db1 and db2 have no verified new certificate: the state directory keeps their certificates of the external authority. Run the same command again to continue."`,
    )
    expect(outsideSwitchStoppedText([])).toMatchInlineSnapshot(
      `"Every host has a certificate of the cluster's own authority; the external authority is still trusted. Run the same command again to remove it."`,
    )
  })
})
