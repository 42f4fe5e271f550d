import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { redact } from '../../../src/deployment/diag/redact.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { betrays, makeSentinel, spellingsOf } from '../../lab/scenario/sentinel.ts'

describe('redact', () => {
  it('removes a secret in every encoding, also inside longer texts', () => {
    const sentinel = makeSentinel()
    const { password } = sentinel
    for (const text of spellingsOf(sentinel)) {
      const clean = redact(`before ${text} after`, [new Secret(password)])
      expect(betrays(sentinel, clean), clean).toBe(false)
      expect(clean).toMatch(/^before .*\[redacted\].* after$/s)
    }
  })

  it('removes anything in the form of a key, a hash or a login', () => {
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    expect(redact(`a\n${privateKey}b`, [])).toBe('a\n[redacted key]\nb')
    expect(redact(privateKey.slice(0, 80), [])).toBe('[redacted key]')
    expect(redact('{"hash":"$scrypt$ln=15,r=8,p=3$c2FsdA$aGFzaA"}', [])).not.toContain('aGFzaA')
    expect(redact('root:$6$salt$hash:1', [])).not.toContain('hash:')
    expect(redact('authorization: "Basic QWxhZGRpbg=="', [])).not.toContain('QWxh')
    expect(redact('nothing of the kind: SHA256:abc $HOME', [])).toBe('nothing of the kind: SHA256:abc $HOME')
  })
})
