import { describe, expect, it } from 'vitest'
import { canonicalAddress, impossibleAddress } from '../../../src/base/address.ts'
import { passwordWeakness } from '../../../src/config/passwordFinding.ts'
import { settings } from '../../../src/config/scrub/keywords.ts'
import { placeholders } from '../../../src/config/scrub/placeholders.ts'

describe('the placeholder of an address', () => {
  it('is in the ranges of RFC 2544 and RFC 3849, and the same for the same address', () => {
    const { text } = placeholders()
    const of = (address: string) => text(address)
    expect(['10.0.0.1', '10.0.0.2', '10.0.0.1', '2001:db8:1::5', 'fd00::1'].map(of)).toEqual([
      '198.18.0.1',
      '198.18.0.2',
      '198.18.0.1',
      '2001:db8::1',
      '2001:db8::2',
    ])
    expect(of('2001:0db8:1:0::5')).toBe('2001:db8::1')
    expect(of('::ffff:10.0.0.2')).toBe('198.18.0.2')
  })

  it.each(['127.0.0.1', '127.4.5.6', '::1', '0.0.0.0', '::'])('is the address itself for %s', (text) => {
    expect(placeholders().text(text)).toBe(text)
  })

  it.each(['10.0.0.0', '10.0.0.0/8', '255.255.255.255', '224.0.0.1'])(
    'is as invalid for a host as %s',
    (text) => {
      expect(impossibleAddress(placeholders().text(text))).toBe(impossibleAddress(text))
    },
  )

  it.each(['10.0.0', '10.0.0.300', '1.2.3.4.5'])('is an invalid name for %s, which is no address', (text) => {
    expect(placeholders().text(text)).toBe('name1_')
  })

  it('is unique for 70,000 addresses, and always valid for a host', () => {
    const { text } = placeholders()
    const fourth = Array.from({ length: 70_000 }, (_, n) =>
      text(`10.${n >> 14}.${(n >> 7) & 127}.${(n & 127) + 1}`),
    )
    const sixth = Array.from({ length: 70_000 }, (_, n) =>
      text(`fd00:${(n >> 8).toString(16)}::${(n & 255).toString(16)}`),
    )
    for (const list of [fourth, sixth]) {
      expect(new Set(list).size).toBe(70_000)
      const wrong = list.filter(
        (one) => canonicalAddress(one) !== one || impossibleAddress(one) !== undefined,
      )
      expect(wrong).toEqual([])
    }
    expect(fourth[253]).toBe('198.18.0.254')
    expect(fourth[254]).toBe('198.18.1.1')
  })
})

describe('the placeholder of a text', () => {
  it.each([
    ['address', 'db1.prod.example.com', 'name1'],
    ['address', 'localhost', 'localhost'],
    ['address', 'db_1', 'name1_'],
    ['cluster', 'acme', 'name1'],
    ['cluster', 'Acme', 'Name1'],
    ['cluster', 'acme'.repeat(20), `name1${'x'.repeat(75)}`],
    ['rest-api-admin-user', 'jane', 'name1'],
    ['rest-api-admin-user', 'jane roe', 'name1 x'],
    ['user', 'root', 'root'],
    ['java-tls-alias', 'tls', 'tls'],
    ['java-tls-alias', 'acme key', 'name1_'],
    ['java-tls-keystore-path', '~/acme.p12', '~/name1'],
    ['java-tls-keystore-path', 'host:/etc/acme.p12', 'host:/name1'],
    ['install-directory', '/opt/muster', '/opt/muster'],
    ['install-directory', '/srv/acme/', '/name1'],
    ['log-level', 'debug', 'debug'],
    ['log-level', 'acme', 'name1'],
    ['timeout', '8s', '8s'],
    ['timeout', '30', '30'],
    ['manager-rest-api', 'yes', 'yes'],
    ['jump', 'jane@gate.acme.example:2222', 'name1_'],
    ['jump', 'jane doe@gate', 'name1 x'],
    ['java-tls-keystore-path', 'tls/acme.p12', 'name1_'],
    ['host-key', 'SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8', `SHA256:${'A'.repeat(42)}1`],
  ])('for %s: %s is %s', (name, text, expected) => {
    expect(placeholders().text(text, settings.get(name))).toBe(expected)
  })

  it('has the same number for a name in small and in capital letters', () => {
    const { text } = placeholders()
    expect(['db1', 'DB1', 'db2', 'db1'].map((one) => text(one))).toEqual(['name1', 'NAME1', 'name2', 'name1'])
  })

  it('replaces keywords too if they are the source of a secret, and is valid as a variable', () => {
    const { reference } = placeholders()
    expect(['root', 'debug', '12345', 'DB_PASS', ''].map((one) => reference(one))).toEqual([
      'name1',
      'name2',
      'name-3',
      'name4',
      '',
    ])
  })
})

describe('the placeholder of a secret', () => {
  it('is as weak as the secret, and reveals only which secrets are equal', () => {
    const { secret } = placeholders()
    const all = [
      'correct horse battery',
      'tungsten',
      'correct horse battery',
      'staple',
      12345,
      false,
      null,
      '',
    ]
    expect(all.map((one) => secret(one))).toEqual([
      '[redacted]-1',
      '[redacted]2',
      '[redacted]-1',
      '[redacted]3',
      0,
      true,
      null,
      '',
    ])
    expect(passwordWeakness('[redacted]-1', undefined)).toBeUndefined()
    expect(passwordWeakness('[redacted]2', undefined)).toBeDefined()
  })
})
