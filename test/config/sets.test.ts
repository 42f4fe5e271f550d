import { describe, expect, it } from 'vitest'
import { asksForStdin } from '../../src/config/sets.ts'
import { codes, good, loadText, shown } from './loadText.ts'

describe('--set', () => {
  it('overrides defaults, services and hosts', () => {
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

  it('splits lists at commas and reads a number or boolean as text where text is expected', () => {
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

  it('reads a secret from standard input without its last newline, or from a file', () => {
    const read = loadText(good, { set: ['rest-api-admin-password=-'], stdin: 'correct horse battery\n' })
    const password = read.config?.hosts[0]?.users[0]?.password
    expect(password?.kind === 'literal' && password.value.reveal()).toBe('correct horse battery')
    const twice = loadText(good, { set: ['rest-api-admin-password=-'], stdin: 'correct horse battery\n\n' })
    expect(twice.diagnostics.map(({ message }) => message).join()).toMatch(/control character U\+000A/)
    const file = loadText(good, { set: ['rest-api-admin-pass=@pw/admin'], cwd: '/srv/ops' })
    expect(file.config?.hosts[0]?.users[0]?.password).toMatchObject({
      kind: 'file',
      path: '/srv/ops/pw/admin',
    })
  })

  it('rejects a secret on the command line and never shows it', () => {
    const result = loadText(good, { set: ['log-level=debug', 'rest-api-admin-pass=hunter2hunter2'] })
    expect(result.diagnostics.map(({ code, span }) => [code, span.file, span.line, span.column])).toEqual([
      ['set-secret-literal', '--set', 2, 21],
    ])
    expect(result.config).toBeUndefined()
    expect(shown(result)).not.toContain('hunter2')
    expect(shown(result)).toContain('rest-api-admin-pass=[redacted]')
  })

  it('reports every invalid assignment', () => {
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

  it('reads standard input only once', () => {
    const set = ['rest-api-admin-pass=-', 'java-keystore-password=-']
    expect(codes(loadText(good, { set, stdin: 'correct horse battery' }))).toEqual(['2 stdin-twice'])
  })

  it('reads standard input only for a secret', () => {
    expect(asksForStdin('rest-api-admin-password=-')).toBe(true)
    expect(asksForStdin('log-level=-')).toBe(false)
    expect(asksForStdin('rest-api-admin-pass=--')).toBe(false)
    expect(asksForStdin('-')).toBe(false)
  })
})
