import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { asksForStdin } from '../../src/config/sets.ts'
import { codes, fileOf, good, loadText, shown } from './loadText.ts'

describe('--set', () => {
  it('wins over defaults, services and hosts', () => {
    const text = good.replace(
      '{ address: 10.0.0.11 }',
      '{ address: 10.0.0.11, options: { log-level: error } }',
    )
    const set = ['log-level=trace', 'manager-rest-api-port=18090', 'manager-rest-api=false', 'user=0ps']
    const host = loadText(text, { set: set.slice(0, 3) }).config?.hosts[0]
    expect(host?.logLevel).toBe('trace')
    expect(host?.apis[0]).toMatchObject({ port: 18090, enabled: false })
    expect(codes(loadText(text, { set }))).toEqual(['4 wrong-type'])
  })

  it('takes lists with commas and text that looks like something else as text', () => {
    const set = [
      'rest-api-allowed-hosts=a.example.org, 10.0.0.5',
      'java-tls-alias=123',
      'rest-api-admin-user=true',
    ]
    const host = loadText(good, { set }).config?.hosts[0]
    expect(host?.allowedHosts).toEqual(['a.example.org', '10.0.0.5'])
    expect(host?.tls.alias).toBe('123')
    expect(host?.users[0]?.user).toBe('true')
  })

  it('takes a secret from standard input without its last newline, or from a file', () => {
    const read = loadText(good, { set: ['rest-api-admin-password=-'], stdin: 'correct horse battery\n\n' })
    const password = read.config?.hosts[0]?.users[0]?.password
    expect(password?.kind === 'literal' && password.value.reveal()).toBe('correct horse battery\n')
    const file = loadText(good, { set: ['rest-api-admin-pass=@pw/admin'], cwd: '/srv/ops' })
    expect(file.config?.hosts[0]?.users[0]?.password).toMatchObject({
      kind: 'file',
      path: '/srv/ops/pw/admin',
    })
  })

  it('refuses a secret that is written out, and never shows it', () => {
    const result = loadText(good, { set: ['log-level=debug', 'rest-api-admin-pass=hunter2hunter2'] })
    expect(result.diagnostics.map(({ code, span }) => [code, span.file, span.line, span.column])).toEqual([
      ['set-secret-literal', '--set', 2, 21],
    ])
    expect(result.config).toBeUndefined()
    expect(shown(result)).not.toContain('hunter2')
    expect(shown(result)).toContain('rest-api-admin-pass=[redacted]')
  })

  it('says what is wrong with each assignment', () => {
    const set = [
      'log-level',
      '=x',
      'log-levl=debug',
      'application-port=no',
      'manager-rest-api-address=10.0.0.0',
      '',
    ]
    expect(codes(loadText(good, { set }))).toEqual([
      '1 set-not-assignment',
      '2 set-not-assignment',
      '3 unknown-option',
      '4 wrong-type',
      '5 network-address',
      '6 set-not-assignment',
    ])
  })

  it('reads standard input once', () => {
    const set = ['rest-api-admin-pass=-', 'java-keystore-password=-']
    expect(codes(loadText(good, { set, stdin: 'correct horse battery' }))).toEqual(['2 stdin-twice'])
  })

  it('asks for standard input only for a secret', () => {
    expect(asksForStdin('rest-api-admin-password=-')).toBe(true)
    expect(asksForStdin('log-level=-')).toBe(false)
    expect(asksForStdin('rest-api-admin-pass=--')).toBe(false)
    expect(asksForStdin('-')).toBe(false)
  })
})

describe('several files', () => {
  it('lays the later over the earlier, name by name', () => {
    const staging = `cluster: beta
defaults: { rest-api-admin-password: !file ../secret }
hosts:
  db1: { address: 10.9.0.11 }
  db2: { address: 10.9.0.12 }
services:
  alpha: { connectors: [db2] }
`
    const files = [
      fileOf(
        good.replace(
          'rest-api-admin-user: admin',
          'rest-api-admin-user: admin\n  rest-api-admin-pass: !env A',
        ),
      ),
      { name: 'envs/staging.yaml', directory: '/etc/muster/envs/deep', text: staging },
    ]
    const { config, diagnostics } = loadConfig({ files, home: '/home/ops' })
    expect(diagnostics).toEqual([])
    expect(config?.cluster).toBe('beta')
    expect(config?.directory).toBe('/etc/muster')
    expect(
      config?.hosts.map(({ name, address, apis }) => [name, address, apis.map((api) => api.component)]),
    ).toEqual([
      ['db1', '10.9.0.11', ['manager', 'replicator']],
      ['db2', '10.9.0.12', ['connector']],
    ])
    expect(config?.hosts[0]?.users[0]?.password).toMatchObject({
      kind: 'file',
      path: '/etc/muster/envs/secret',
      at: { directory: '/etc/muster/envs/deep', place: expect.stringMatching(/^envs.staging.yaml:\d+:\d+$/) },
    })
  })

  it('points into the file that a value came from, in the order of the files', () => {
    const files = [
      fileOf(`${good}# end\n`),
      fileOf('defaults: { connector-rest-api-port: 8090 }\nx: 1\n', 'over.yaml'),
    ]
    const { diagnostics } = loadConfig({ files, home: '/home/ops' })
    expect(diagnostics.map(({ code, span }) => `${span.file}:${span.line} ${code}`)).toEqual([
      'over.yaml:1 port-clash',
      'over.yaml:2 unknown-key',
    ])
  })

  it('judges the other files when one is not YAML, and no rule then guesses', () => {
    const files = [fileOf('cluster: "alpha\n'), fileOf('defaults: { log-level: x }\n', 'over.yaml')]
    const { diagnostics } = loadConfig({ files, home: '/home/ops' })
    expect(diagnostics.map(({ code, span }) => `${span.file} ${code}`)).toEqual([
      'muster.yaml not-closed',
      'over.yaml wrong-type',
    ])
  })
})
