import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseFacts, parseInstalled, parseListeners } from '../../../src/deployment/facts/parseFacts.ts'
import { runtime, targetOf } from '../steps/target.ts'

const nonce = 'f00dfacef00dfacef00dfacef00dface'
const print = (...rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${[nonce, ...row].join('\t')}\n`).join('')
const parse = (...rows: readonly (readonly string[])[]) =>
  parseFacts('db1', { output: print(...rows), nonce })

describe('parseFacts', () => {
  it.each([
    '../share/state/r',
    '../../home/svc-0123456789ab',
    '.old-1.0.0-0123456789ab',
    '1.0.0',
    '1.0.0-0123456789AB',
    '1.0.0-0123456789abc',
    '1.0.0/x-0123456789ab',
    '1.0.0 x-0123456789ab',
    '1.0.0-0123456789ab/',
    '-rf-0123456789ab',
    'x-0123456789ab',
    '$(id)-0123456789ab',
    '',
  ])('accepts only release ids of a deployment: %j', (id) => {
    const { installation } = parse(
      ['current', id],
      ['release', id, '7', '2026-01-01T00:00:00Z', '../../runtimes/node-1/node', 'yes'],
    )
    expect(installation.releases).toEqual([])
    expect(installation).not.toHaveProperty('currentRelease')
  })

  it.each(['../node-1', 'node-', 'node-1/../../x', 'node-1 x', 'nodejs', '.old-node-1', 'node-$(id)', ''])(
    'accepts only runtime ids of a deployment: %j',
    (id) => expect(parse(['runtime', id]).installation.runtimes).toEqual([]),
  )

  it('accepts the ids of a deployment', () => {
    const { id } = targetOf().release
    const ids = [id, '0.1.0-0123456789ab', '1.0.0-rc.1+build-0123456789ab']
    const { installation } = parse(
      ['current', id],
      ...ids.map((one) => ['release', one, '1', '', 'node', '']),
      ['runtime', runtime.id],
    )
    expect(installation.releases.map((one) => one.id)).toEqual(ids)
    expect(installation).toMatchObject({ currentRelease: id, runtimes: [runtime.id] })
  })

  it.each([
    ['7', 7],
    ['', 0],
    ['-1', 0],
    ['1e9', 0],
    ['9999999999', 0],
    ['Infinity', 0],
  ])('accepts only plain numbers as the turn of a release: %j', (turn, known) => {
    const row = ['release', '1.0.0-0123456789ab', turn, '', 'node', '']
    expect(parse(row).installation.releases.map((one) => one.turn)).toEqual([known])
  })

  it.each([
    ['systemd', 'muster-alpha', { place: 'systemd', user: 'muster-alpha' }],
    ['process', 'ops', { place: 'process', user: 'ops' }],
    ['legacy', 'muster', undefined],
    ['/tmp', 'muster', undefined],
    ['systemd', '', undefined],
    ['systemd', '-u', undefined],
    ['systemd', 'a b', undefined],
    ['systemd', '$(id)', undefined],
    ['systemd', 'x'.repeat(257), undefined],
    ['', '', undefined],
  ])('accepts only a known place and a valid user of the components: %j %j', (place, user, account) => {
    expect(parse(['place', place, user]).installation.account).toEqual(account)
  })

  it('returns an init system only if it is not systemd', () => {
    expect(parse(['init', 'openrc'])).toMatchObject({ init: 'openrc', systemd: false })
    expect(parse(['systemd', 'yes'])).not.toHaveProperty('init')
  })

  it('returns the user file byte by byte, or none', () => {
    const text = `uid\t0\n${nonce}\tnode\t/evil\tv24.0.0\tyes\n`
    const facts = parse(['uid', '0'], ['users', Buffer.from(text).toString('base64')])
    expect(facts.installation.users?.reveal()).toBe(text)
    expect(facts).not.toHaveProperty('node')
    expect(parse(['users', '']).installation).not.toHaveProperty('users')
  })

  it('reports an install-directory that others can replace', () => {
    const { untrusted } = parseInstalled('db1', { output: print(['untrusted', '/home/svc 1001 755']), nonce })
    expect(untrusted).toBe('/home/svc 1001 755')
    expect(parse()).not.toHaveProperty('untrusted')
  })

  it('never throws, and ignores output without the nonce', () => {
    const keys = fc.constantFrom(
      'uid',
      'node',
      'release',
      'runtime',
      'users',
      'service',
      'file',
      'place',
      'text',
      'store',
    )
    const row = fc.tuple(keys, fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }))
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), (rows) => {
        const lines = rows.map(([key, values]) => [key, ...values])
        const facts = parse(...lines)
        for (const { id } of facts.installation.releases) expect(id).not.toMatch(/[/\s]/)
        const bare = lines.map((line) => line.join('\t')).join('\n')
        expect(parseFacts('db1', { output: bare, nonce })).toEqual(parse())
      }),
    )
  })
})

describe('parseListeners', () => {
  it('reads addresses of both families and skips other sockets', () => {
    const text = `
   0: 0100007F:1F9A 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
   2: 0100007F:1F9A 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 1
   0: 00000000000000000000000000000000:1FA0 00000000000000000000000000000000:0000 0A 0
   1: 00000000000000000000000001000000:1FA1 00000000000000000000000000000000:0000 0A 0
   2: 0000000000000000FFFF00000100007F:1FA2 00000000000000000000000000000000:0000 0A 0
   3: B80D0120000000000000000001000000:1FA3 00000000000000000000000000000000:0000 0A 0
   4: 0000:1FA4 0000:0000 0A 0
`
    expect(parseListeners(text)).toEqual([
      { address: '127.0.0.1', port: 8090 },
      { address: '0.0.0.0', port: 22 },
      { address: '::', port: 8096 },
      { address: '::1', port: 8097 },
      { address: '127.0.0.1', port: 8098 },
      { address: '2001:db8::1', port: 8099 },
    ])
  })
})
