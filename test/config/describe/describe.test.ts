import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { fileOf, good } from '../loadText.ts'
import { described, describedFile, settingOf } from './described.ts'

const option = (name: string, host = 'db1') => ({ host, group: 'options', name }) as const
const cluster = describedFile('cluster.yaml', 'c.yaml')

describe('the description of a cluster', () => {
  it('lists the hosts in the order of the file', () => {
    expect(cluster.cluster).toBe('alpha')
    expect(cluster.hosts.map(({ name }) => name)).toEqual(['db1', 'db2', 'w1'])
  })

  it.each([
    ['log-level', 'db1', 'debug', { layer: 'service', service: 'alpha', place: { line: 17, column: 16 } }],
    ['log-level', 'db2', 'warn', { layer: 'host', place: { line: 26, column: 7 } }],
    ['manager-rest-api-address', 'w1', '0.0.0.0', { layer: 'defaults', place: { line: 5, column: 3 } }],
    ['manager-rest-api-port', 'db1', 8090, { layer: 'default' }],
  ])('gives %s of %s as %s with its origin', (name, host, value, origin) => {
    const found = settingOf(cluster, option(name, host))
    expect(found?.value).toBe(value)
    expect(found?.origin).toMatchObject(origin)
  })

  it('shows that a value is from the command line', () => {
    const text = good.replace('defaults:', 'defaults:\n  log-level: warn')
    const set = described(text, { set: ['log-level=trace'] })
    expect(settingOf(set, option('log-level'))).toMatchObject({ value: 'trace', origin: { layer: 'set' } })
  })

  it('names the last of several services that give the same value', () => {
    const text = good
      .replace('connectors: [db1]', 'connectors: [db1]\n    options: { log-level: warn }')
      .replace(
        'hosts:',
        '  beta: { topology: clustered, master: db2, members: [db2], connectors: [db1], options: { log-level: warn } }\nhosts:\n  db2: { address: 10.0.0.12 }',
      )
    expect(settingOf(described(text), option('log-level'))?.origin).toMatchObject({ service: 'beta' })
  })

  it('shows the connection of a host, and no SSH settings of a local host', () => {
    const at = (host: string, group: 'host' | 'ssh', name: string) =>
      settingOf(cluster, { host, group, name })
    expect(at('db2', 'ssh', 'port')).toMatchObject({ value: 2222, origin: { layer: 'host' } })
    expect(at('db1', 'ssh', 'user')).toMatchObject({ value: 'ops', origin: { layer: 'ssh' } })
    expect(at('db1', 'ssh', 'timeout')?.value).toBe('8s')
    expect(at('w1', 'host', 'address')).toMatchObject({ value: '127.0.0.1', origin: { layer: 'default' } })
    expect(cluster.hosts[2]?.ssh).toEqual([])
  })

  it('shows the roles and components of a host', () => {
    const roles = (host: string, name = 'roles') => settingOf(cluster, { host, group: 'host', name })?.value
    expect(roles('db1')).toEqual(['master of alpha'])
    expect(roles('db2')).toEqual(['member of alpha', 'connector of alpha'])
    expect(roles('w1')).toEqual(['witness of alpha'])
    expect(roles('w1', 'components')).toEqual(['manager'])
  })

  it('omits options without a value, of other components, and without effect unless the file sets them', () => {
    const names = (text: string): readonly string[] =>
      described(text).hosts[0]?.options.map(({ name }) => name) ?? []
    expect(names(good)).not.toContain('java-keystore-password')
    expect(names(good)).toContain('connector-rest-api-port')
    expect(names(good.replace('    connectors: [db1]\n', ''))).not.toContain('connector-rest-api-port')
    expect(names(good)).not.toContain('datasource-type')
    expect(names(good.replace('defaults:', 'defaults:\n  datasource-type: mysql'))).toContain(
      'datasource-type',
    )
  })
})

describe('secrets in a description', () => {
  it('are redacted, whether literal or referenced', () => {
    for (const host of ['db1', 'db2']) {
      expect(settingOf(cluster, option('rest-api-admin-pass', host))?.value).toBe('[redacted]')
    }
    expect(inspect(cluster, { depth: 9 }) + JSON.stringify(cluster)).not.toMatch(/hunter2|ADMIN_PASS/)
  })

  it('are redacted in another option that has the same text by an alias', () => {
    const text = good.replace(
      'defaults:',
      'defaults:\n  rest-api-admin-pass: &p correct horse battery\n  java-tls-alias: *p',
    )
    expect(settingOf(described(text), option('java-tls-alias'))?.value).toBe('[redacted]')
    expect(JSON.stringify(described(text))).not.toContain('horse')
    const over = fileOf('defaults: { rest-api-admin-pass: another long password }', 'over.yaml')
    expect(JSON.stringify(described(text, { files: [fileOf(text), over] }))).not.toContain('horse')
  })

  it('can be compared without showing them', () => {
    const pass = (value: string) =>
      settingOf(
        described(good.replace('defaults:', `defaults:\n  rest-api-admin-pass: ${value}`)),
        option('rest-api-admin-pass'),
      )?.identity
    const same = (a: string, b: string): boolean | undefined => {
      const other = pass(b)
      return other && pass(a)?.equals(other)
    }
    expect(same('!env A', '!env A')).toBe(true)
    expect(same('!env A', '!env B')).toBe(false)
    expect(same('!env A', '!file A')).toBe(false)
    expect(same('!exec [a, "b c"]', '!exec [a, b, c]')).toBe(false)
    expect(same('correct horse battery', "'correct horse battery'")).toBe(true)
    expect(same('correct horse battery', 'correct horse batterz')).toBe(false)
  })
})
