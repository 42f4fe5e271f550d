import { describe, expect, it } from 'vitest'
import { clientsText } from '../../../src/output/deployment/rotation.ts'

describe('what a rotation of the authority says of clients before its question', () => {
  const file = '.muster/alpha/authority.crt'

  it('is that they need the new certificate, and how to stop when all hosts trust both', () => {
    expect(clientsText('trust', { file, trustOnly: false })).toEqual([
      "clients elsewhere need the new authority's certificate before phase 2; phase 1 adds it to .muster/alpha/authority.crt",
      'to give it to them first, say no and run this with --trust-only: it ends when every host trusts both',
    ])
  })

  it('offers nothing that was chosen or that is too late', () => {
    expect(clientsText('trust', { file, trustOnly: true })[1]).toBe(
      'this run ends after phase 1 (--trust-only)',
    )
    for (const phase of ['move', 'drop'] as const) {
      const lines = clientsText(phase, { file, trustOnly: false })
      expect(lines).toEqual([
        expect.stringMatching(/^clients elsewhere must trust the new authority .*authority\.crt/),
      ])
    }
  })
})
