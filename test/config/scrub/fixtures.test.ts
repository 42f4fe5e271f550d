import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isKeyword, isNearlyKeyword } from '../../../src/config/scrub/keywords.ts'
import { scrubFiles } from '../../../src/config/scrub/scrubFiles.ts'
import { parseYaml, type RawNode } from '../../../src/config/yaml.ts'
import { good } from '../loadText.ts'
import { findingsIn, scrubText } from './scrubText.ts'

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const scrubFolder = folder('../../fixtures/scrub')

const texts = ['../../fixtures/config', '../../../examples', '../../fixtures/scrub'].flatMap((path) =>
  readdirSync(folder(path))
    .filter((name) => name.endsWith('.yaml') && !name.endsWith('.scrubbed.yaml'))
    .map((name) => [name, readFileSync(`${folder(path)}/${name}`, 'utf8')] as const),
)

type Scalar = { readonly source: string; readonly isKey: boolean }

/** Every name and value of a text, as far as it is YAML. */
function scalarsOf(text: string): readonly Scalar[] {
  const parsed = parseYaml(text, 64)
  const within = (node: RawNode, isKey = false): readonly Scalar[] => {
    if (node.kind === 'alias') return []
    if (node.kind === 'scalar') return [{ source: node.source, isKey }]
    if (node.kind === 'list') return node.items.flatMap((item) => within(item))
    return node.entries.flatMap(({ key, value }) => [...within(key, true), ...within(value)])
  }
  return parsed.tooDeep === undefined ? parsed.roots.flatMap(({ node }) => (node ? within(node) : [])) : []
}

/** Values of everybody's files: numbers, and addresses without a host or from the range for examples. */
const isUsual = /^(?:-?[\d.]+(?:ms|s|m)?|0x\w+|::1?|2001:db8::1|~?[./]*)$/

/** What breaks the one stands in a secret; the other has two spellings of one folder, and a folder of every system. */
const changed = ['syntax-second-colon.yaml', 'hosts.yaml']

describe('scrubbed files', () => {
  it.each(texts)('%s has the same findings on the same lines, or says that it has not', (name, text) => {
    const scrubbed = scrubText(text)
    const isSame = findingsIn(scrubbed.text).join() === findingsIn(text).join()
    expect(scrubbed.faithful).toBe(isSame)
    expect(isSame).toBe(!changed.includes(name))
    expect(scrubbed.text.split('\n').length).toBe(text.split('\n').length)
  })

  it.each(texts)('%s stays as it is when it is scrubbed again', (_, text) => {
    const once = scrubText(text).text
    expect(scrubText(once).text).toBe(once)
  })

  it.each(texts)('%s has no scalar any more that is not ours', (_, text) => {
    const isOurs = ({ source, isKey }: Scalar) => (isKey ? isNearlyKeyword(source) : isKeyword(source))
    const before = scalarsOf(text).filter((one) => !isOurs(one) && !isUsual.test(one.source))
    const after = new Set(scalarsOf(scrubText(text).text).map(({ source }) => source))
    expect(before.filter(({ source }) => after.has(source))).toEqual([])
  })

  it.each(['everything', 'broken'])('%s tells nothing of its owner', async (name) => {
    const [, text = ''] = texts.find(([file]) => file === `${name}.yaml`) ?? []
    const scrubbed = scrubText(text).text
    await expect(scrubbed).toMatchFileSnapshot(`${scrubFolder}/${name}.scrubbed.yaml`)
    expect(scrubbed).not.toMatch(
      /acme|jane|roe|horse|vault|tungsten|bastion|east|10\.20\.30\.4|aaaa:|May|2019|two|line/i,
    )
  })
})

describe('the name of an unknown option', () => {
  const keys = (text: string): readonly string[] =>
    [...scrubText(text).text.matchAll(/^ *([^\s:#]+):/gm)].map(([, key = '']) => key)

  it('stays where it is nearly one of ours, since its finding is about it, and goes otherwise', () => {
    expect(keys('sso-url: x\ndefaults:\n  log-levl: x\n  new-option: [a]\n')).toEqual([
      'name1',
      'defaults',
      'log-levl',
      'name3',
    ])
  })

  it('goes where it is nearly one of ours, and of a host, a service or a user', () => {
    const text =
      'services: { servces: {} }\nhosts: { log-levl: {} }\ndefaults: { rest-api-users: { usr: x } }\n'
    expect(scrubText(text).text).not.toMatch(/levl|servces|usr/)
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

describe('the value of an unknown option', () => {
  it('goes, numbers too, which may be a password', () => {
    const text =
      "sso-pin: 83726451\nsso-code: '4711'\nports: [1, 2]\ndefaults:\n  log-levl: 5\n  timeout: 5\n"
    expect(scrubText(text).text).toBe(
      "name1: 0\nname2: 'name3_'\nports: [0, 0]\ndefaults:\n  log-levl: 0\n  timeout: 5\n",
    )
  })
})

describe('a text that is not YAML', () => {
  it('hides names and values in any script', () => {
    expect(scrubText('\u043a\u043b\u044e\u0447: tajna\n}{\n').text).toBe('name1: name2\n}{\n')
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
      'hosts: { name1: { address: 198.18.0.1 } }\n',
      'hosts: { name2: { address: 198.18.0.2 }, name1: { address: 198.18.0.1 } }\n',
      'hosts: { name2: { address: 198.18.0.2 }\n',
    ])
  })

  it('keep a byte order mark and Windows line ends', () => {
    const text = '\ufeffcluster: acme\r\n# x\r\nhosts: # y\r\n'
    expect(scrubText(text).text).toBe('\ufeffcluster: name1\r\n#\r\nhosts: #\r\n')
  })
})
