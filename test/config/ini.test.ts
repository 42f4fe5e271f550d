import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isHostName } from '../../src/base/address.ts'
import { targetOf } from '../../src/config/ini/importComments.ts'
import {
  clusterFrom,
  hostFrom,
  hostInIni,
  isFamilyOption,
  sectionsFor,
  serviceFrom,
} from '../../src/config/ini/iniNames.ts'
import { musterComment, readMusterComment } from '../../src/config/ini/musterComment.ts'
import { quotedScalar, yamlList, yamlScalar } from '../../src/config/ini/writeYaml.ts'
import { allOptions } from '../../src/config/settings/options.ts'
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

describe('a muster comment in an INI file', () => {
  const value = fc.oneof(
    text.map((one) => ({ kind: 'text' as const, text: one })),
    text.filter((one) => one !== '').map((one) => ({ kind: 'file' as const, text: one })),
    fc.array(text).map((items) => ({ kind: 'list' as const, items })),
    fc.array(text, { minLength: 1 }).map((items) => ({ kind: 'exec' as const, items })),
  )

  it('is one line that is read back as the same value', () => {
    fc.assert(
      fc.property(value, (given) => {
        const comment = musterComment('hosts.db1.x', given)
        expect(comment).not.toMatch(/[\n\r]/)
        expect(readMusterComment(comment)).toEqual({ path: 'hosts.db1.x', value: given })
      }),
      { numRuns: 1000 },
    )
  })

  it.each([
    'muster:',
    'muster: a',
    'muster: a =',
    'muster: a b = c',
    'muster: a = "b',
    'muster: a = [1]',
    'muster: a = !envX',
    'muster: a = !exec x',
    'muster: a = !tag x',
  ])('is invalid as %s', (comment) => {
    expect(readMusterComment(comment)).toBeUndefined()
  })

  it('has the path of a setting, also for a host with dots in its name', () => {
    expect(targetOf('hosts.a.b.options.log-level')).toMatchObject({
      group: { kind: 'host-options', of: 'a.b' },
    })
    expect(targetOf('hosts.ssh.port.ssh.port')).toMatchObject({ group: { kind: 'host-ssh', of: 'ssh.port' } })
    expect(targetOf('hosts.db1.address')).toMatchObject({ group: { kind: 'host', of: 'db1' } })
    expect(targetOf('services.alpha.options.log-level')).toMatchObject({
      group: { kind: 'service-options', of: 'alpha' },
    })
    const unknown = [
      'hosts.db1.adress',
      'hosts.db1',
      'ssh.x',
      'defaults.ssh',
      'services.alpha.master',
      'services.a.b.name',
      'x',
    ]
    expect(unknown.filter((path) => targetOf(path) !== undefined)).toEqual([])
  })
})

describe('the import of names', () => {
  it('gives a host that is named by its address a valid name', () => {
    const addresses = ['10.0.0.11', '::1', '1::', '2001:db8::1:0', '::', '1:2:3:4:5:6:7:8', '10:0:0:11::']
    const hosts = addresses.map(hostFrom)
    expect(hosts.map(({ name }) => name).filter((name) => !isHostName(name))).toEqual([])
    expect(new Set(hosts.map(({ name }) => name)).size).toBe(addresses.length)
    expect(hosts.map(hostInIni)).toEqual(hosts.map(({ address }) => address))
    expect(hostFrom('db1')).toEqual({ name: 'db1' })
    expect(hostInIni({ name: 'db1', address: '10.0.0.11' })).toBe('db1')
  })

  it('maps services to unique names of sections', () => {
    const services = ['alpha', 'my-svc', 'my.svc', 'my_svc', 'defaults']
    const sections = [...sectionsFor(services).values()]
    expect(sections).toEqual(['alpha', 'my_svc', 'my_svc_2', 'my_svc_3', 'defaults_2'])
    expect(serviceFrom('my_svc')).toBe('my-svc')
  })

  it('names the cluster after its first service if the name is valid', () => {
    expect(clusterFrom('Alpha.East')).toBe('alpha-east')
    expect(clusterFrom('a'.repeat(41))).toBe('a'.repeat(41))
  })
})

describe('an option in an INI file', () => {
  it('is a line of its own only if the family of products has it; any other is a comment of muster', () => {
    const lines = allOptions.filter(isFamilyOption).map(({ name }) => name)
    expect(lines).toHaveLength(26)
    expect(lines).not.toContain('service-memory-max')
    expect(lines).not.toContain('log-level')
  })
})
