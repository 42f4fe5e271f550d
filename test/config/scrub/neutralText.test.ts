import { describe, expect, it } from 'vitest'
import { allSettings, meaningOf } from '../../../src/config/scrub/meaning.ts'
import { neutralText } from '../../../src/config/scrub/neutralText.ts'
import { pseudonyms } from '../../../src/config/scrub/pseudonyms.ts'

const paths = { home: '/home/ops', directories: new Map<string, string>(), fallback: '/etc/muster' }

function neutral(name: string, text: string, scope?: string): string {
  const setting = allSettings.find((one) => one.name === name && (scope === undefined || one.scope === scope))
  if (setting === undefined) throw new Error(`there is no setting ${name}`)
  return neutralText({ text, meaning: meaningOf(setting), setting }, pseudonyms(), paths)
}

describe('the text of a setting', () => {
  it.each([
    ['address', 'db1.prod.example.com', 'host1'],
    ['address', 'localhost', 'localhost'],
    ['address', '10.1.2.300', '192.0.2.256'],
    ['address', 'db_1', 'word1_1'],
    ['cluster', 'acme', 'cluster1'],
    ['cluster', 'Acme', 'Cluster1'],
    ['cluster', 'acme'.repeat(20), `cluster1${'x'.repeat(72)}`],
    ['rest-api-admin-user', 'jane', 'user1'],
    ['rest-api-admin-user', 'jane roe', 'word1 word2'],
    ['rest-api-admin-user', '$#%:@', 'word1 '],
    ['user', 'root', 'root'],
    ['java-tls-alias', 'tls', 'tls'],
    ['java-tls-alias', 'acme key', 'text1'],
    ['java-tls-keystore-path', 'tls/acme.p12', 'path1'],
    ['java-tls-keystore-path', '../acme.p12', 'path1'],
    ['java-tls-keystore-path', '~/acme.p12', '~/path1'],
    ['java-tls-keystore-path', 'host:/etc/acme.p12', 'host:/path1'],
    ['java-tls-keystore-path', 'host:acme.p12', 'host:path1'],
    ['install-directory', '/opt/muster', '/opt/muster'],
    ['install-directory', '/srv/acme/', '/path1'],
    ['install-directory', '/usr/local', '/usr/local'],
    ['install-directory', '/home/ops', '/home'],
    ['install-directory', '~/', '~'],
    ['install-directory', '..', '..'],
    ['log-level', 'debug', 'debug'],
    ['log-level', 'acme', 'text1'],
    ['timeout', '8s', '8s'],
    ['timeout', '30', '30'],
    ['manager-rest-api', 'yes', 'yes'],
    ['jump', 'jane@gate.acme.example:2222', 'user1@host1:2222'],
    ['jump', '[fd00::1]', '[2001:db8::1]'],
    ['host-key', 'MD5:aa', 'word1:word2'],
  ])('of %s: %s becomes %s', (name, text, expected) => {
    expect(neutral(name, text)).toBe(expected)
  })

  it('keeps names apart that differ in capital letters only, and says so', () => {
    const names = pseudonyms()
    const of = (text: string): string => neutralText({ text, meaning: 'host' }, names, paths)
    expect(['db1', 'DB1', 'Db1', 'db2', 'db1'].map(of)).toEqual(['host1', 'hosT1', 'hoSt1', 'host2', 'host1'])
  })
})

/** Settings of text that nobody's file has for itself alone. */
const texts = ['java-tls-alias']

it('knows of every setting what its text tells', () => {
  const undecided = allSettings.filter((setting) => meaningOf(setting) === 'text').map(({ name }) => name)
  // A new setting of free text: say in meaning.ts whether it names a host, a user or a path; else add it here.
  expect(undecided).toEqual(texts)
})
