import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { codes, fileOf, good, loadText, shown } from './loadText.ts'

describe('loading a configuration', () => {
  it('accepts a byte order mark, Windows line ends and no line end at the end of the file', () => {
    const text = `\ufeff${good.trimEnd().replaceAll('\n', '\r\n')}`
    expect(codes(loadText(text))).toEqual([])
    expect(loadText(text).config).toEqual(loadText(good).config)
  })

  it('counts columns as an editor does after a byte order mark and with Windows line ends', () => {
    const text = `\ufeff${good.replace('alpha', 'Alpha').replace('10.0.0.11', '10.0.0.0')}`.replaceAll(
      '\n',
      '\r\n',
    )
    expect(loadText(text).diagnostics.map(({ span }) => [span.line, span.column])).toEqual([
      [1, 10],
      [11, 19],
    ])
  })

  it.each([
    ['no bytes', '', '1 empty-file'],
    ['empty lines', '\n\n', '1 empty-file'],
    ['a lone document start', '---\n', '1 empty-file'],
    ['a NUL', 'cluster: al\0pha\n', '1 nul-character'],
    // As many as a file may hold: read to the end, each of these would take more memory than Node.js has.
    ['2,000,000 brackets', `a: ${'['.repeat(1_999_996)}`, '1 too-deep'],
    ['1,000,000 braces', '{a: '.repeat(500_000), '1 too-deep'],
    ['1,000,000 dashes', '- '.repeat(1_000_000), '1 too-deep'],
    ['1,000,000 question marks', '? '.repeat(1_000_000), '1 too-deep'],
    ['2,000,000 colons', ':'.repeat(2_000_000), '1 not-yaml'],
    ['20,000 quotes', '"'.repeat(20_000), '1 not-yaml'],
    ['10,000 aliases of nothing', '*a\n'.repeat(10_000), '2 not-yaml'],
    ['10,000 times the same option', `defaults:\n${'  log-level: info\n'.repeat(10_000)}`, '1 missing-key'],
    ['10,000 documents', '---\na: 1\n'.repeat(10_000), '1 missing-key'],
    [
      'deeply nested groups',
      Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
      '67 too-deep',
    ],
    ['a long open quote', `cluster: "${'x'.repeat(100_000)}`, '1 not-closed'],
  ])('reports the error in a file of %s', (_name, text, expected) => {
    expect(codes(loadText(text))[0]).toBe(expected)
  })

  it('stops expanding an alias bomb', () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const inner = level === 0 ? '"x"' : `*a${level - 1}`
      return `a${level}: &a${level} [${Array(10).fill(inner).join(', ')}]`
    })
    const result = loadText(`${levels.join('\n')}\n${good}`)
    expect(codes(result).filter((code) => code.endsWith('alias-bomb'))).toEqual(['5 alias-bomb'])
  })

  it('stops expanding a bomb of merge keys', () => {
    const base = Array.from({ length: 2000 }, (_, key) => `  k${key}: v`).join('\n')
    const uses = Array.from({ length: 100 }, (_, key) => `m${key}: { <<: *base }`).join('\n')
    const result = loadText(`base: &base\n${base}\n${uses}\n`)
    expect(codes(result).filter((code) => code.endsWith('alias-bomb'))).toHaveLength(1)
  })

  it('never reads top-level keys that begin with x-, and merges what they anchor, also several at once', () => {
    const anchors = [
      'x-log: &log { log-level: debug }',
      'x-ports: &ports { manager-rest-api-port: 9090 }',
      'x-any: [1, { a: b }]',
    ]
    const text = good
      .replace(/^/, `${anchors.join('\n')}\n`)
      .replace('defaults:\n', 'defaults:\n  <<: *log\n  <<: *ports\n')
    expect(loadText(text.replace('  <<: *log\n  <<: *ports\n', '  <<: [*log, *ports]\n')).config).toEqual(
      loadText(text).config,
    )
    const { config, diagnostics } = loadText(text)
    expect(diagnostics.map(({ code }) => code)).toEqual([])
    expect(config?.hosts[0]?.logLevel).toBe('debug')
    expect(config?.hosts[0]?.apis.find(({ component }) => component === 'manager')?.port).toBe(9090)
    expect(codes(loadText(good.replace('defaults:', 'y-log: {}\ndefaults:')))).toEqual(['2 unknown-key'])
  })

  it('accepts a thousand hosts that share a group by alias and merge', () => {
    const hosts = Array.from(
      { length: 1000 },
      (_, n) => `  h${n}: { <<: *base, address: 10.1.${n >> 8}.${n & 255 || 256} }`,
    )
    const members = Array.from({ length: 999 }, (_, n) => `h${n}`).join(', ')
    const text = `cluster: big
services: { big: { topology: replicator, members: [base, ${members}] } }
hosts:
  base: &base { address: 10.2.0.1, options: &options { log-level: debug, tls-warning-days: 20 } }
${hosts.join('\n').replaceAll('.256', '.1')}
`
    const result = loadText(text)
    expect(result.diagnostics.filter(({ code }) => code === 'alias-bomb')).toEqual([])
    expect(
      result.diagnostics.filter(({ code }) => code === 'unused-host').map(({ span }) => span.line),
    ).toEqual([1004])
  })

  it('reports findings without control characters of the file', () => {
    const text = good
      .replace('10.0.0.11', '"\\e[31m\\u202e\\a"')
      .replace('cluster: alpha', 'cluster: "\x1b[2J\u202e"')
    const result = loadText(text)
    expect(codes(result)).toEqual(['1 bad-cluster-name', '11 wrong-type'])
    // Line breaks and the colours of our own are all that a terminal acts on.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
    const rest = shown(result).replaceAll(/\n|\x1b\[\d+m/g, '')
    expect(rest).not.toMatch(/[\p{Cc}\u202e]/u)
  })

  it('finds a port clash on one of a thousand hosts', () => {
    const names = Array.from({ length: 1000 }, (_, n) => `h${n}`)
    const hosts = names.map((name, n) => {
      const ports = n === 997 ? 'manager-rest-api-port: 20997, ' : ''
      const address = `10.1.${Math.floor(n / 250)}.${(n % 250) + 1}`
      return `  ${name}: { address: ${address}, options: { ${ports}replicator-rest-api-port: ${20_000 + n} } }`
    })
    const text = `cluster: big
services: { big: { topology: clustered, master: h0, members: [${names.join(', ')}], witnesses: [w] } }
hosts:
  w: { address: 10.9.0.1 }
${hosts.join('\n')}
`
    expect(codes(loadText(text))).toEqual(['1002 port-clash'])
  })
})

describe('loading several files', () => {
  it('merges each file over those before it, name by name', () => {
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

  it('reports each finding in the file of its value, in the order of the files', () => {
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

  it('checks single values of the other files if one is not YAML, and applies no rules', () => {
    const files = [fileOf('cluster: "alpha\n'), fileOf('defaults: { log-level: x }\n', 'over.yaml')]
    const { diagnostics } = loadConfig({ files, home: '/home/ops' })
    expect(diagnostics.map(({ code, span }) => `${span.file} ${code}`)).toEqual([
      'muster.yaml not-closed',
      'over.yaml wrong-type',
    ])
  })
})
