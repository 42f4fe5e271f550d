import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isProblem } from '../../../src/config/inventory/inventory.ts'
import { outlineInventory } from '../../../src/config/inventory/outlineInventory.ts'
import { readInventory } from '../../../src/config/inventory/readInventory.ts'
import { outlineText } from '../../../src/output/config/outlineText.ts'
import { loadText } from '../loadText.ts'

/** Expects a problem with a message and a fix, or a valid configuration. */
function expectUsable(text: string): boolean {
  const inventory = readInventory(text)
  const outline = isProblem(inventory)
    ? inventory
    : outlineInventory(inventory, { source: 'x', cluster: 'alpha' })
  if (isProblem(outline)) {
    expect(outline.message && outline.fix).toBeTruthy()
    return false
  }
  const yaml = outlineText(outline)
  const { config, diagnostics, ignores } = loadText(yaml)
  expect(diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([])
  expect(ignores).toEqual([])
  expect(config?.hosts.length).toBeGreaterThan(0)
  return true
}

const hostile = [
  'x\n  - !exec [sh, -c, id]',
  '!exec [id]',
  '# muster-ignore: unused-host x',
  'a: b',
  '\u202e\u001b[2J',
  'null',
  '1e5',
  'host:/etc/shadow',
  '$HOME',
  '{{ x }}',
  '$ANSIBLE_VAULT;1.1;AES256',
  '',
  '-oProxyCommand=id',
]
const name = fc.constantFrom(
  'db1',
  'db2',
  'DB1',
  'db[1:3]',
  'px_1',
  '10.0.0.1',
  '::1',
  'yes',
  'a..b',
  'localhost',
  ...hostile,
)
const group = fc.constantFrom(
  'databases',
  'proxies',
  'managers',
  'replicators',
  'primary',
  'witnesses',
  'web',
  'all',
  ...hostile,
)
const variable = fc.tuple(
  fc.constantFrom(
    ...['ansible_host', 'ansible_port', 'ansible_user', 'ansible_ssh_private_key_file', 'ansible_connection'],
    ...['ansible_become', 'ansible_ssh_common_args', 'ansible_password', 'other'],
  ),
  fc.oneof(
    fc.constantFrom(
      '10.0.0.2',
      'local',
      '22',
      'root',
      '~/.ssh/key',
      '-J bastion',
      'true',
      '127.0.0.1',
      ...hostile,
    ),
    fc.string(),
  ),
)
const variables = fc.array(variable, { maxLength: 4 }).map((all) => Object.fromEntries(all))
const hosts = fc.array(fc.tuple(name, variables), { maxLength: 4 }).map((all) => Object.fromEntries(all))
const tree = fc
  .array(
    fc.tuple(group, fc.record({ hosts, vars: variables, children: fc.array(group, { maxLength: 3 }) })),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((all) => Object.fromEntries(all))

const asYaml = (
  groups: Record<string, { hosts: object; vars: object; children: readonly string[] }>,
): string =>
  // JSON is YAML; a line before it keeps it from being taken for JSON.
  `# YAML\n${JSON.stringify(
    Object.fromEntries(
      Object.entries(groups).map(([key, { children, ...rest }]) => [
        key,
        { ...rest, children: Object.fromEntries(children.map((child) => [child, null])) },
      ]),
    ),
  )}`

const asList = (
  groups: Record<string, { hosts: object; vars: object; children: readonly string[] }>,
): string =>
  JSON.stringify({
    _meta: { hostvars: Object.assign({}, ...Object.values(groups).map((one) => one.hosts)) },
    ...Object.fromEntries(
      Object.entries(groups).map(([key, one]) => [key, { ...one, hosts: Object.keys(one.hosts) }]),
    ),
  })

const asIni = (
  groups: Record<string, { hosts: Record<string, Record<string, string>>; vars: Record<string, string> }>,
) =>
  Object.entries(groups)
    .flatMap(([key, one]) => [
      `[${key}]`,
      ...Object.entries(one.hosts).map(([host, own]) =>
        [host, ...Object.entries(own).map(([word, value]) => `${word}="${value}"`)].join(' '),
      ),
      `[${key}:vars]`,
      ...Object.entries(one.vars).map(([word, value]) => `${word}=${value}`),
    ])
    .join('\n')

const address = fc.constantFrom('10.0.0.1', '10.0.0.2', '2001:db8::1', 'db1.example.org')
const leaf = fc.oneof({ weight: 6, arbitrary: address }, name, fc.integer(), fc.constant(null))
const outputs = fc.dictionary(
  group,
  fc.record({
    type: fc.constant('x'),
    sensitive: fc.boolean(),
    value: fc.oneof(
      leaf,
      fc.array(leaf, { maxLength: 3 }),
      fc.dictionary(name, leaf, { maxKeys: 3 }),
      fc.array(
        fc.record({ name, private_ip: leaf, public_ip: leaf, role: group, ssh_user: name, ssh_port: leaf }),
        { maxLength: 3 },
      ),
    ),
  }),
  { maxKeys: 4 },
)

describe('an inventory of a stranger', () => {
  it('is a valid configuration or a named problem, whatever its groups hold', () => {
    let usable = 0
    fc.assert(
      fc.property(tree, (groups) => {
        for (const text of [asYaml(groups), asList(groups), asIni(groups)])
          if (expectUsable(text)) usable += 1
      }),
      { numRuns: 100 },
    )
    expect(usable).toBeGreaterThan(20)
  })

  it('is a valid configuration or a named problem, whatever outputs of Terraform hold', () => {
    let usable = 0
    fc.assert(
      fc.property(outputs, (all) => {
        if (expectUsable(JSON.stringify(all))) usable += 1
      }),
      { numRuns: 300 },
    )
    expect(usable).toBeGreaterThan(30)
  })

  it('is a valid configuration or a named problem, whatever its text', () => {
    fc.assert(
      fc.property(
        fc
          .oneof(fc.string({ unit: 'binary' }), fc.string(), fc.json())
          .chain((text) => fc.constantFrom(text, `[db]\n${text}`, `all:\n  hosts:\n    ${text}`, `{${text}`)),
        (text) => {
          expectUsable(text)
        },
      ),
      { numRuns: 500 },
    )
  })
})
