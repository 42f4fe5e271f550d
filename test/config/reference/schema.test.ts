import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { schemaText } from '../../../src/config/reference/schema.ts'
import { places } from '../../../src/config/shape/places.ts'
import { codes, good, loadText } from '../loadText.ts'
import { refusals } from './refusals.ts'

const folder = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url))

const texts = ['examples', 'test/fixtures/config'].flatMap((name) =>
  readdirSync(folder(name))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => [`${name}/${file}`, readFileSync(`${folder(name)}/${file}`, 'utf8')] as const),
)
const sound = texts.filter(([, text]) =>
  loadText(text).diagnostics.every(({ severity }) => severity !== 'error'),
)

describe('the JSON Schema of the configuration file', () => {
  it('equals docs/muster.schema.json', async () => {
    await expect(schemaText()).toMatchFileSnapshot(folder('docs/muster.schema.json'))
  })

  it('has every setting in its group, with the texts that an editor shows', () => {
    const schema = JSON.parse(schemaText())
    const groups = {
      file: schema,
      defaults: schema.$defs.options,
      options: schema.$defs.options,
      ssh: schema.$defs.ssh,
      hooks: schema.$defs.hooks,
      service: schema.$defs.service,
      host: schema.$defs.host,
    }
    for (const [name, place] of Object.entries(places)) {
      const { properties, additionalProperties } = groups[name as keyof typeof groups]
      expect(additionalProperties, name).toBe(false)
      expect(Object.keys(properties), name).toEqual([...place.settings.keys(), ...place.groups])
      for (const [spelling, setting] of place.settings) {
        const property = properties[spelling]
        expect(property.description).toContain(setting.documentation)
        expect(property.markdownDescription).toContain(setting.documentation)
        expect(property.description.startsWith('Another spelling of '), spelling).toBe(
          spelling !== setting.name,
        )
        expect('default' in property, spelling).toBe(setting.default !== undefined)
        const shown = ['default', 'examples', 'enum'].filter((keyword) => keyword in property)
        expect(shown.length > 0 || setting.secret || property.type === 'boolean', spelling).toBe(true)
      }
    }
  })

  it('uses different example names for different accounts', () => {
    const { properties } = JSON.parse(schemaText()).$defs.options
    const accounts = ['rest-api-admin-user', 'replication-user', 'monitor-user']
    const examples = accounts.flatMap((name) => properties[name].examples ?? [])
    expect(examples).toEqual(expect.arrayContaining(['muster', 'muster_monitor']))
    expect(new Set(examples).size).toBe(examples.length)
  })

  it('accepts every example and every fixture that muster accepts', () => {
    expect(sound.length).toBeGreaterThan(4)
    for (const [name, text] of sound) expect(refusals(text), name).toEqual([])
  })

  it('requires the same names as muster', () => {
    const lines = good.split('\n')
    const tops = ['cluster', 'defaults', 'services', 'hosts'].map((key) => ({
      key,
      text: good.replace(new RegExp(`^${key}:.*\n( .*\n)*`, 'm'), ''),
    }))
    const fields = ['topology', 'master', 'members', 'connectors'].map((key) => ({
      key,
      text: lines.filter((line) => !line.startsWith(`    ${key}:`)).join('\n'),
    }))
    for (const { key, text } of [...tops, ...fields]) {
      expect(text).not.toBe(good)
      const missing = codes(loadText(text)).some((code) => code.endsWith(' missing-key'))
      expect(refusals(text).length > 0, key).toBe(missing)
    }
  })

  it.each([
    ['a group without options', 'defaults:\n'],
    ['an empty host', 'hosts:\n  db1:\n'],
    ['a host with empty groups', 'hosts:\n  db1:\n    ssh:\n    options:\n'],
    ['a service without options', 'services:\n  alpha: { topology: clustered, members: [db1], options: }\n'],
    ['an empty ssh group', 'ssh:\n'],
  ])('accepts %s, as muster does', (_, part) => {
    const key = /^\w+/.exec(part)?.[0] ?? ''
    const rest = good.replace(new RegExp(`^${key}:.*\n( .*\n)*`, 'm'), '')
    expect(codes(loadText(rest + part)).filter((code) => !code.endsWith(' open-without-admin'))).toEqual([])
    expect(refusals(rest + part)).toEqual([])
  })

  it.each([
    ['a number in quotes', { defaults: '  manager-rest-api-port: "8090"' }],
    ['a port that is too high', { defaults: '  manager-rest-api-port: 65536' }],
    ['a word outside the choices', { defaults: '  log-level: verbose' }],
    ['a duration without its unit', { defaults: '  connector-max-hold: 8' }],
    ['a text instead of a boolean', { defaults: '  manager-rest-api: yes' }],
    ['a single value instead of a list', { defaults: '  rest-api-allowed-hosts: db.example.org' }],
    ['a group instead of a secret', { defaults: '  rest-api-admin-pass: { env: ADMIN_PASS }' }],
    ['an option without a value', { defaults: '  log-level:' }],
    ['a misspelt option', { defaults: '  log-levle: info' }],
    ['both spellings of an option', { defaults: '  rest-api-admin-pass: a\n  rest-api-admin-password: a' }],
    ['an option at the top', { top: 'log-level: info' }],
    ['an unknown group', { top: 'common: {}' }],
    ['an option directly in a host', { host: 'log-level: info' }],
    ['an ssh setting directly in a host', { host: 'port: 22' }],
    ['an ssh setting among the options', { host: 'options: { become: true }' }],
    ['an option among the ssh settings', { host: 'ssh: { log-level: info }' }],
    ['a list instead of a group', { host: 'ssh: [ops]' }],
    ['a name that no host can have', { hosts: '  db_2: { address: 10.0.0.12 }' }],
    ['an empty service', { services: '  beta:' }],
    ['an empty list of members', { services: '  beta: { topology: clustered, members: [] }' }],
    [
      'an option directly in a service',
      { services: '  beta: { topology: clustered, members: [db1], log-level: info }' },
    ],
  ] as readonly (readonly [string, Readonly<Record<string, string>>])[])(
    'rejects %s, as muster does',
    (_, { top = '', defaults = '', services = '', host = '', hosts = '' }) => {
      const text = `cluster: alpha
${top}
defaults:
  rest-api-admin-user: admin
${defaults}
services:
  alpha: { topology: clustered, members: [db1], connectors: [db1] }
${services}
hosts:
  db1: { address: 10.0.0.11, ${host} }
${hosts}
`
      expect(loadText(text).diagnostics.some(({ severity }) => severity === 'error')).toBe(true)
      expect(refusals(text)).not.toEqual([])
    },
  )
})
