import { describe, expect, it } from 'vitest'
import { hostConfig, hostFacts } from '../../support/deploymentValues.ts'
import { reasons, subject } from './values.ts'

describe('the certificates check', () => {
  const own = subject({
    host: { tls: { ...hostConfig().tls, keystorePath: '/k.p12', truststorePath: '/t.p12' } },
  })

  it('reports a missing store and an unreadable password', () => {
    expect(reasons('certificates', [own])).toEqual(['failure: the keystore /k.p12 cannot be read'])
    const failures = new Map([['db1', [{ message: 'STORE_PASS is not set', fix: 'Set it.' }]]])
    const stores = { files: new Map(), passwords: new Map(), failures }
    expect(reasons('certificates', [own], { stores })).toEqual(['failure: STORE_PASS is not set'])
  })

  it('accepts a certificate that muster issues', () => {
    expect(reasons('certificates', [subject({ facts: hostFacts() })])).toEqual(['ok: issued by muster'])
  })
})
