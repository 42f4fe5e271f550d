import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { userMembers } from '../../../src/config/document/hideSecrets.ts'
import { isKeyword, isNearlyKeyword } from '../../../src/config/scrub/keywords.ts'
import { scrubFiles } from '../../../src/config/scrub/scrubFiles.ts'
import { parseYaml, type RawNode } from '../../../src/config/yaml.ts'
import { accessLevels } from '../../../src/contracts/accessLevels.ts'
import { nearest } from '../../../src/diagnostics/nearest.ts'
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

/** The error of the first is in a secret; the other has two spellings of one folder, and a system folder. */
const changed = ['syntax-second-colon.yaml', 'hosts.yaml']

describe('scrubbing a file', () => {
  it.each(texts)('keeps the findings of %s on their lines, or returns that they changed', (name, text) => {
    const scrubbed = scrubText(text)
    const isSame = findingsIn(scrubbed.text).join() === findingsIn(text).join()
    expect(scrubbed.hasSameFindings).toBe(isSame)
    expect(isSame).toBe(!changed.includes(name))
    expect(scrubbed.text.split('\n').length).toBe(text.split('\n').length)
  })

  it.each(texts)('changes nothing in %s the second time', (_, text) => {
    const once = scrubText(text).text
    expect(scrubText(once).text).toBe(once)
  })

  it.each(texts)('replaces every name and value of %s except keywords', (_, text) => {
    const isOurs = ({ source, isKey }: Scalar) =>
      isKey
        ? isNearlyKeyword(source) || nearest(source, userMembers) !== undefined
        : isKeyword(source) || nearest(source, accessLevels) !== undefined
    const before = scalarsOf(text).filter((one) => !isOurs(one) && !isUsual.test(one.source))
    const after = new Set(scalarsOf(scrubText(text).text).map(({ source }) => source))
    expect(before.filter(({ source }) => after.has(source))).toEqual([])
  })

  it.each(['everything', 'broken'])('removes everything private from %s', async (name) => {
    const [, text = ''] = texts.find(([file]) => file === `${name}.yaml`) ?? []
    const scrubbed = scrubText(text).text
    await expect(scrubbed).toMatchFileSnapshot(`${scrubFolder}/${name}.scrubbed.yaml`)
    expect(scrubbed).not.toMatch(
      /acme|jane|roe|horse|vault|tungsten|bastion|east|10\.20\.30\.4|aaaa:|May|2019|two|line/i,
    )
  })
})

describe('scrubbing the name of an unknown option', () => {
  const keys = (text: string): readonly string[] =>
    [...scrubText(text).text.matchAll(/^ *([^\s:#]+):/gm)].map(([, key = '']) => key)

  it('keeps it only if it is similar to a known name, which its finding suggests', () => {
    expect(keys('sso-url: x\ndefaults:\n  log-levl: x\n  new-option: [a]\n')).toEqual([
      'name1',
      'defaults',
      'log-levl',
      'name3',
    ])
  })

  it('keeps groups that begin with x-, without their names and secrets', () => {
    const text =
      'x-acme: &a { rest-api-admin-pass: hunter2hunter2, note: jane }\ndefaults:\n  <<: *a\nhosts: { db1: {} }\n'
    const scrubbed = scrubText(text).text
    expect(scrubbed).toMatch(/^x-name\d+: &\w+ \{ rest-api-admin-pass: /)
    expect(scrubbed).not.toMatch(/acme|hunter|jane/)
  })

  it('removes the name of a host, a service or a user that is similar to a known name', () => {
    const text =
      'services: { servces: {} }\nhosts: { log-levl: {} }\ndefaults: { rest-api-users: { usr: x } }\n'
    expect(scrubText(text).text).not.toMatch(/levl|servces|usr/)
  })

  it('removes it if it is or may be the name of a host, a service or the cluster', () => {
    const text = `${good.replace('cluster: alpha', 'cluster: acme')}db1: x\nDB1: x\nacme: x\nacme-db7: { address: db1 }\nacme.example: x\n`
    expect(scrubText(text).text).not.toMatch(/acme|db\d/i)
  })

  it('removes it if it contains a secret', () => {
    const text = good.replace(
      'defaults:',
      'defaults:\n  rest-api-admin-pass: correcthorse\n  my-correcthorse: 1',
    )
    expect(scrubText(text).text).not.toContain('horse')
  })
})

describe('scrubbing the value of an unknown option', () => {
  it('removes numbers too, which may be a password', () => {
    const text =
      "sso-pin: 83726451\nsso-code: '4711'\nports: [1, 2]\ndefaults:\n  log-levl: 5\n  timeout: 5\n"
    expect(scrubText(text).text).toBe(
      "name1: 0\nname2: 'name3_'\nports: [0, 0]\ndefaults:\n  log-levl: 0\n  timeout: 5\n",
    )
  })
})

describe('scrubbing a text that is not YAML', () => {
  it('removes names and values in any script', () => {
    expect(scrubText('\u043a\u043b\u044e\u0447: tajna\n}{\n').text).toBe('name1: name2\n}{\n')
  })

  it.each(['cluster: a\0b\n', 'rest-api-admin-pass: a\0b\n', '# a\0b\nx: "\n'])(
    'keeps the NUL of %j on its line',
    (text) => {
      const scrubbed = scrubText(text)
      expect(scrubbed.text.indexOf('\0')).toBeGreaterThan(-1)
      expect(scrubbed.hasSameFindings).toBe(true)
    },
  )
})

describe('scrubbing several files', () => {
  const directory = '/etc/muster'
  const files = [
    { name: 'a', directory, text: 'hosts: { db7: { address: 10.1.2.3 } }\n' },
    { name: 'b', directory, text: 'hosts: { db9: { address: 10.1.2.4 }, db7: { address: 10.1.2.3 } }\n' },
    { name: 'c', directory, text: 'hosts: { db9: { address: 10.1.2.4 }\n' },
  ]

  it('uses the same names for the same hosts, whether the files are YAML or not', () => {
    expect(scrubFiles({ files, home: '/home/ops' }).texts).toEqual([
      'hosts: { name1: { address: 198.18.0.1 } }\n',
      'hosts: { name2: { address: 198.18.0.2 }, name1: { address: 198.18.0.1 } }\n',
      'hosts: { name2: { address: 198.18.0.2 }\n',
    ])
  })

  it('keeps a byte order mark and Windows line ends', () => {
    const text = '\ufeffcluster: acme\r\n# x\r\nhosts: # y\r\n'
    expect(scrubText(text).text).toBe('\ufeffcluster: name1\r\n#\r\nhosts: #\r\n')
  })
})
