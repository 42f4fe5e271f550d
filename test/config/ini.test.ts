import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isHostName } from '../../src/base/address.ts'
import { clusterFrom, hostFrom, serviceFrom } from '../../src/config/ini/iniNames.ts'
import { quotedScalar, yamlList, yamlScalar } from '../../src/config/ini/writeYaml.ts'
import { parseYaml } from '../../src/config/yaml.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    'true',
    'NO',
    'null',
    '~',
    '1',
    '010',
    '1e3',
    '0x1',
    '.5',
    '-',
    '---',
    '...',
    '1.2.3.4',
    '2001-01-01',
  ),
  fc
    .array(fc.constantFrom(...'\'"\\#:{}[],&*!|>%@` \t\n\r\u0085\u2028\ufeffé'), { maxLength: 8 })
    .map((all) => all.join('')),
)

/** Value that YAML reads from a text without errors. */
function readBack(yaml: string): unknown {
  const { roots, problems } = parseYaml(`a: ${yaml}\nb: 1\n`, 10) as Extract<
    ReturnType<typeof parseYaml>,
    { roots: unknown }
  >
  expect(problems).toEqual([])
  const root = roots[0]?.node
  const node = root?.kind === 'map' ? root.entries[0]?.value : undefined
  if (node?.kind === 'list') return node.items.map((item) => (item.kind === 'scalar' ? item.value : item))
  return node?.kind === 'scalar' ? node.value : node
}

describe('text written as a YAML scalar', () => {
  it('is read back as the same text', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(readBack(yamlScalar(value))).toBe(value)
        expect(readBack(quotedScalar(value))).toBe(value)
      }),
      { numRuns: 1000 },
    )
  })

  it('is read back as the same text in a list', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), (values) => {
        expect(readBack(yamlList(values))).toEqual(values)
      }),
      { numRuns: 300 },
    )
  })

  it('has quotes only if it needs them', () => {
    expect(['db1', '/opt/muster', '10.0.0.11', 'app-1.example.org'].map(yamlScalar)).toEqual([
      'db1',
      '/opt/muster',
      '10.0.0.11',
      'app-1.example.org',
    ])
    expect(['on', '1', 'a b', "it's"].map(yamlScalar)).toEqual(["'on'", "'1'", "'a b'", "'it''s'"])
  })
})

describe('the import of names', () => {
  it('gives a host that is named by its address a valid name', () => {
    const addresses = ['10.0.0.11', '::1', '1::', '2001:db8::1:0', '::', '1:2:3:4:5:6:7:8', '10:0:0:11::']
    const hosts = addresses.map(hostFrom)
    expect(hosts.map(({ name }) => name).filter((name) => !isHostName(name))).toEqual([])
    expect(new Set(hosts.map(({ name }) => name)).size).toBe(addresses.length)
    expect(hosts.every(({ address }) => address !== undefined)).toBe(true)
    expect(hostFrom('db1')).toEqual({ name: 'db1' })
  })

  it('makes the name of a service valid', () => {
    expect(serviceFrom('my_svc')).toBe('my-svc')
  })

  it('names the cluster after its first service if the name is valid', () => {
    expect(clusterFrom('Alpha.East')).toBe('alpha-east')
    expect(clusterFrom('a'.repeat(41))).toBe('a'.repeat(41))
  })
})
