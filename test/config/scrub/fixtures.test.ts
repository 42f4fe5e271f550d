import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { scrubFiles } from '../../../src/config/scrub/scrubFiles.ts'
import { good } from '../loadText.ts'
import { findingsIn, scrubText } from './scrubText.ts'

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const scrubFolder = folder('../../fixtures/scrub')

const texts = ['../../fixtures/config', '../../../examples', '../../fixtures/scrub'].flatMap((path) =>
  readdirSync(folder(path))
    .filter((name) => name.endsWith('.yaml') && !name.endsWith('.scrubbed.yaml'))
    .map((name) => [name, readFileSync(`${folder(path)}/${name}`, 'utf8')] as const),
)

describe('scrubbed files', () => {
  it.each(texts)('%s has the same findings on the same lines', (_, text) => {
    const scrubbed = scrubText(text)
    expect(findingsIn(scrubbed.text)).toEqual(findingsIn(text))
    expect(scrubbed.faithful).toBe(true)
    expect(scrubbed.text.split('\n').length).toBe(text.split('\n').length)
  })

  it.each(texts)('%s stays as it is when it is scrubbed again', (_, text) => {
    const once = scrubText(text).text
    expect(scrubText(once).text).toBe(once)
  })

  it.each(['everything', 'broken'])('%s tells nothing of its owner', async (name) => {
    const [, text = ''] = texts.find(([file]) => file === `${name}.yaml`) ?? []
    const scrubbed = scrubText(text).text
    await expect(scrubbed).toMatchFileSnapshot(`${scrubFolder}/${name}.scrubbed.yaml`)
    // The name of an unknown option is what its finding is about.
    const rest = scrubbed.replace('acme-sso-url:', '')
    expect(rest).not.toMatch(
      /acme|jane|roe|horse|vault|tungsten|bastion|east|10\.20\.30\.4|aaaa:|May|2019|two|line/i,
    )
  })
})

describe('the name of an unknown option', () => {
  const keys = (text: string): readonly string[] =>
    [...scrubText(text).text.matchAll(/^ *([^\s:#]+):/gm)].map(([, key = '']) => key)

  it('stays, since its finding is about it', () => {
    expect(keys('sso-url: x\ndefaults:\n  log-levl: x\n  new-option: [a]\n')).toEqual([
      'sso-url',
      'defaults',
      'log-levl',
      "'[redacted]-1'",
    ])
  })

  it('goes where it is the name of a host, a service or the cluster, or may be', () => {
    const text = `${good.replace('cluster: alpha', 'cluster: acme')}db1: x\nDB1: x\nacme: x\nacme-db7: { address: db1 }\nacme.example: x\n`
    expect(scrubText(text).text).not.toMatch(/acme|db\d/i)
  })

  it('goes where it holds a secret', () => {
    const text = good.replace(
      'defaults:',
      'defaults:\n  rest-api-admin-pass: correcthorse\n  my-correcthorse: 1',
    )
    expect(scrubText(text).text).not.toContain('horse')
  })
})

describe('a text that is not YAML', () => {
  it('hides the values of unknown names in any script', () => {
    expect(scrubText('\u043a\u043b\u044e\u0447: tajna\n}{\n').text).toBe("word1: '[redacted]'\n}{\n")
  })

  it.each(['cluster: a\0b\n', 'rest-api-admin-pass: a\0b\n', '# a\0b\nx: "\n'])(
    'keeps the NUL of %j on its line',
    (text) => {
      const scrubbed = scrubText(text)
      expect(scrubbed.text.indexOf('\0')).toBeGreaterThan(-1)
      expect(scrubbed.faithful).toBe(true)
    },
  )
})

describe('several files', () => {
  const directory = '/etc/muster'
  const files = [
    { name: 'a', directory, text: 'hosts: { db7: { address: 10.1.2.3 } }\n' },
    { name: 'b', directory, text: 'hosts: { db9: { address: 10.1.2.4 }, db7: { address: 10.1.2.3 } }\n' },
    { name: 'c', directory, text: 'hosts: { db9: { address: 10.1.2.4 }\n' },
  ]

  it('have the same names for the same hosts, whether they are YAML or not', () => {
    expect(scrubFiles({ files, home: '/home/ops' }).texts).toEqual([
      'hosts: { host1: { address: 192.0.2.1 } }\n',
      'hosts: { host2: { address: 192.0.2.2 }, host1: { address: 192.0.2.1 } }\n',
      'hosts: { host2: { address: 192.0.2.2 }\n',
    ])
  })

  it('keep a byte order mark and Windows line ends', () => {
    const text = '\ufeffcluster: acme\r\n# x\r\nhosts: # y\r\n'
    expect(scrubText(text).text).toBe('\ufeffcluster: cluster1\r\n#\r\nhosts:\r\n')
  })
})
